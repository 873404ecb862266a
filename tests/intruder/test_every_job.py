"""Nobody undoes what a job releases: the contract of every job that writes a protected file."""

import pytest

from intruder.intrusion import intrusion
from intruder.judgement import MOST, repeated
from intruder.people import people
from intruder.releases import mask_release, protect_release, published, secretly
from sfumato.core import registry
from sfumato.jobs._releasing import Releasing
from sfumato.masking import make_masking
from sfumato.search.maskings.options import part_options, record_options

TESTED = {"mask", "protect", "evolve", "group_attributes", "groups protect", "graph protect"}
SORTED = {"method": "shuffling", "attributes": ["wealth"], "given": ["age"]}
PLACED = "record_swapping(p=30)"
MASKINGS = ("data_swapping(p=80)", PLACED, "noise", "rank_swapping", "pram", SORTED)


def test_every_job_that_releases_is_played_against():
    jobs = {name: registry.load("jobs", name) for name in registry.names("jobs")}
    assert {name for name, job in jobs.items() if issubclass(job, Releasing)} == TESTED


def sorted_people(spec, number):
    """Sorted by what is masked, which is worst."""
    homes = spec == PLACED
    return people(
        1000 if homes else 400, seed=number, sorted_by="wealth" if spec is SORTED else "town", homes=homes
    )


@pytest.mark.parametrize(
    ("release", "spec"),
    [
        *(pytest.param("mask in a random order", spec, id=f"mask {spec}") for spec in MASKINGS),
        pytest.param("protect with a masking", MASKINGS[0], id=f"protect {MASKINGS[0]}"),
        *(
            pytest.param("protect with a masking", spec, id=f"protect {spec}", marks=pytest.mark.slow)
            for spec in MASKINGS[1:]
        ),
    ],
)
def test_a_sorted_file_is_not_undone(release, spec, tmp_path):
    def once(number):
        original = sorted_people(spec, number)
        folder, names = tmp_path / str(number), make_masking(spec).targets(original)
        if release.startswith("mask"):
            made = mask_release(original, spec, folder, shuffle=True, **secretly(number))
        else:
            made = protect_release(original, spec, folder, **secretly(number))
        return intrusion(made, names, range(5 if number else 50), halves=number)

    found = repeated(once)
    assert found.holds, f"{release}, {spec}: more than {MOST} point: {found}"


SEARCHES = {
    "protect": {"methods": ["data_swapping", "noise"]},
    "evolve": {"preset": "fast", "methods": ["data_swapping", "noise"], "generations": 2},
    "group_attributes": {"k": 5},
}


@pytest.mark.parametrize(
    "job",
    [*(pytest.param(job, marks=pytest.mark.slow) for job in ("protect", "evolve")), "group_attributes"],
)
def test_what_was_searched_for_is_not_undone(job, tmp_path):
    """She tries every masking that the search may have chosen."""

    def once(number):
        original = people(100, seed=number, sorted_by="town")
        keys = original.schema.with_role("key")
        methods = SEARCHES[job].get("methods", ["mdav"])
        numeric = [name for name in keys if original.schema[name].is_numeric]
        others = [name for name in keys if name not in numeric]
        maskings = tuple(
            make_masking([a, b])
            for a in part_options(original, numeric, methods)
            for b in part_options(original, others, methods)
        )[:3]
        made = published(
            job, original, tmp_path / str(number), maskings=maskings, **SEARCHES[job], **secretly(number)
        )
        return intrusion(made, numeric if job == "group_attributes" else keys, range(2), halves=number)

    found = repeated(once)
    assert found.holds, f"{job}: more than {MOST} point: {found}"


SYNTHESIS = {
    "methods": ["calibrated_synthesis", "tree_synthesis"]
}  # what `protect` chooses from by itself in the end
DEFAULTS = {"protect": SYNTHESIS, "evolve": {}}


@pytest.mark.slow
@pytest.mark.parametrize("homes", [False, True], ids=["people", "households"])
@pytest.mark.parametrize("job", DEFAULTS)
def test_what_is_made_by_default_is_not_undone(job, homes, tmp_path):
    """Records of nobody: neither their order, nor draws of seeds, nor the command once more tell of the people."""

    def once(number):
        original = people(200, seed=number, sorted_by="town", homes=homes)
        maskings = tuple(record_options(original, SYNTHESIS["methods"]))
        folder, options = tmp_path / str(number), DEFAULTS[job]
        made = published(job, original, folder, maskings=maskings, **options, **secretly(number))
        made = made.with_command(job, **options)
        return intrusion(made, maskings[0].targets(original), range(3 if number else 20), halves=number)

    found = repeated(once)
    assert found.holds, f"{job}: more than {MOST} point: {found}"
    print(found)


@pytest.mark.slow
@pytest.mark.parametrize("homes", [False, True], ids=["people", "households"])
def test_protect_makes_records_of_nobody_by_default(homes, tmp_path):
    """So what is attacked above is what leaves the house."""
    original = people(100, seed=1, sorted_by="town", homes=homes)
    files = [
        published("protect", original, tmp_path / name, **options, **secretly(1)).public.bytes()
        for name, options in (("all", {}), ("synthesis", SYNTHESIS))
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize("spec", ["noise", "data_swapping(p=80)"])
def test_nobody_chooses_a_seed_unless_asked_to(spec, tmp_path):
    """With the defaults of each job: a key of the operating system, so that each release is another."""

    def once(number):
        original = people(400, seed=number)
        made = mask_release(original, spec, tmp_path / str(number))
        return intrusion(made, make_masking(spec).targets(original), range(50), halves=number)

    assert (repeated(once).points < 5).all()  # a seed would give away more than 70
