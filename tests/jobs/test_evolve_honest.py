"""The default of evolve: files of nobody that show what the original shows."""

import json
from functools import partial

import numpy as np
import pytest

import sfumato
from plots.results import mixed_table
from sfumato import datasets, write_release
from sfumato.core import DataError, GateError, ParameterError
from sfumato.data import open as open_source
from sfumato.data import write_table
from sfumato.data.households import together
from sfumato.jobs import _evolution
from sfumato.jobs._evolution import _chosen, _File
from sfumato.jobs._work import Work
from sfumato.jobs.mask import Mask
from sfumato.kernels.distinct_records import distinct
from sfumato.masking import CalibratedSynthesis, masked_with
from sfumato.reports.protection import protection as report_of
from sfumato.reports.repetition import repeat_command, repeat_script
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.swap_calibration import SwapCalibration
from sfumato.search.problems.synthetic_files import SyntheticFiles
from sfumato.search.stop import Stop

evolve = partial(sfumato.evolve, with_verdict=False, workers=1, seed=3)  # a verdict takes long
FEW = "calibrated_synthesis(proposals=6)"


@pytest.fixture(scope="module")
def people():
    return datasets.household_survey(150, seed=1)


@pytest.fixture(scope="module")
def fewer():
    """For what hangs on no number of people."""
    return datasets.household_survey(60, seed=1)


@pytest.fixture(scope="module")
def evolved(people):
    return evolve(people)


def test_it_is_the_default_and_ends_by_itself(evolved):
    assert evolved.preset == "honest" and evolved.run.optimizer == {"method": "swap_calibration"}
    assert evolved.run.objectives == ("table_gap", "product_gap")
    assert evolved.reason in ("all swaps were tried", "all files are near enough")
    told = "\n".join(line for line in evolved.told() if isinstance(line, str))
    assert "swaps tried" in told and "gap of tables" in told and "information loss" not in told


def test_every_released_column_is_drawn_anew(people, evolved):
    """Confidential ones, weights and strata among them; identifiers do not go out, and household numbers are new."""
    schema = people.schema
    gone, linking = {*schema.with_role("identifier")}, {*schema.with_role("household")}
    assert linking and set(evolved.aligned.names) == set(people.names) - gone
    roles = {schema[name].role for name in evolved.aligned.names}
    assert {"key", "confidential"} < roles
    for name in evolved.masked:
        new, old = evolved.aligned[name], people[name]
        by_chance = np.sum((np.unique(old, return_counts=True)[1] / len(old)) ** 2)
        assert np.mean(new == old) < by_chance + 0.2
    kinds = {one.name: one.kind for one in evolved.treated.columns if one.name not in gone}
    assert {name for name, kind in kinds.items() if kind == "renumbered"} == linking
    assert {kind for name, kind in kinds.items() if name not in linking} == {"masked"}
    assert [applied.columns for applied in evolved.applied()] == [evolved.masked]


def test_households_are_drawn_whole_as_protect_draws_them(people, evolved):
    release, (number,) = evolved.release, people.schema.with_role("household")
    sizes = [sorted(np.bincount(together(table)).tolist()) for table in (people, release)]
    assert sizes[0] == sizes[1] and max(sizes[0]) > 2
    protected = sfumato.protect(
        people, masking="calibrated_synthesis(proposals=3)", seed=3, with_verdict=False, workers=1
    )
    assert set(protected.release.names) == set(release.names) and number in release
    label = together(release)
    first = np.unique(label, return_index=True)[1][label]
    for name in ("region", "wealth", "weight"):
        np.testing.assert_array_equal(release[name], release[name][first])


def test_it_is_as_near_as_the_masking(people, evolved):
    """No farther than what `calibrated_synthesis` makes under other random numbers, within what these make out."""
    offered = people.select(evolved.treated.released)
    gaps = [
        run(
            SyntheticFiles(offered, seed=seed),
            SwapCalibration(starts=1, size=120),
            Effort(seed=seed, stop=Stop.when_done()),
        ).best.costs
        for seed in (11, 12, 13)
    ]
    assert evolved.costs[0] <= max(0.1, *(gap[0] for gap in gaps))
    assert evolved.costs[1] <= 2 * max(gap[1] for gap in gaps)
    assert evolved.costs < evolved.start_costs


def test_no_key_is_needed(fewer):
    roles = dict.fromkeys(fewer.schema.with_role("key"), "other")
    found = evolve(fewer.with_schema(fewer.schema.with_roles(roles)), generations=1)
    assert found.release.n == fewer.n
    html = report_of(found, found.job)
    assert "preset <code>honest</code>" in html and "By the scores of the literature" not in html


def test_what_belongs_to_other_presets_is_refused(people):
    for name, value in {
        "methods": ["mdav"],
        "score": "mean",
        "weight": 0.3,
        "loss": ["sse"],
        "risk": ["distance_linkage"],
        "add": ["propensity"],
        "front": True,
        "objectives": ["sse", "distance_linkage"],
        "drop_best": 5.0,
        "selection": "printed",
    }.items():
        with pytest.raises(
            ParameterError, match=rf"preset honest has no use for {name}: .* fast or mares2013"
        ):
            evolve(people, **{name: value})
    with pytest.raises(ParameterError, match=r"preset fast has no use for synthesis: .* preset honest"):
        evolve(people, preset="fast", synthesis=FEW)
    with pytest.raises(ParameterError, match=r"optimizer must be one of swap_calibration\. Got 'evolution'"):
        evolve(people, optimizer="evolution")
    with pytest.raises(ParameterError, match=r"optimizer must be one of evolution.* Got 'swap_calibration'"):
        evolve(people, preset="fast", optimizer="swap_calibration")
    with pytest.raises(ParameterError, match="synthesis must be"):
        evolve(people, synthesis="mdav")
    with pytest.raises(DataError, match="holds no record"):
        evolve(people.take([]))


def test_parts_carry_their_parameters_and_are_repeated(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(people, "people.csv")
    (tmp_path / "s.toml").write_text(people.schema.to_toml())
    found = evolve(
        "people.csv", schema="s.toml", synthesis=FEW, optimizer="swap_calibration(starts=3, size=2)"
    )
    assert len(found.run.population) == 3 and found.generations == 9  # three for each step of households
    assert found.to_dict()["synthesis"] == {"method": "calibrated_synthesis", "proposals": 6}
    assert "--synthesis 'calibrated_synthesis(proposals=6)'" in repeat_command(found)
    assert "--generations 9" in repeat_command(found)
    exec(repeat_script(found), {})


def test_the_same_file_on_any_number_of_workers(fewer, monkeypatch):
    monkeypatch.setattr(_evolution, "SMALL", 0)
    one = evolve(fewer, synthesis=FEW)
    two = evolve(fewer, synthesis=FEW, workers=2)
    assert one.release.fingerprint == two.release.fingerprint and one.costs == two.costs


def test_no_record_is_that_of_a_unique_person_if_that_is_asked(people):
    asked = "calibrated_synthesis(coincidences=false, proposals=6)"
    few = people.select(["age", "sex", "marital"])
    found = evolve(few, synthesis=asked)
    names = found.aligned.names
    both = distinct([np.concatenate([few[name], found.aligned[name]]) for name in names]).labels
    before, after = both[: few.n], both[few.n :]
    values, counts = np.unique(before, return_counts=True)
    assert (counts == 1).any()
    assert not np.isin(after, values[counts == 1]).any()


def test_requirements_are_honoured(fewer):
    found = evolve(fewer, synthesis=FEW, require=["k >= 1"])
    assert found.gates[0].holds
    with pytest.raises(GateError, match=r"k_anonymity.smallest >= 50 \(the best reaches \d+\)"):
        evolve(fewer, synthesis=FEW, require=["k >= 50"])


def test_the_start_is_released_where_the_search_made_a_risk_worse(evolved):
    def file(individual):
        return _File(individual, evolved.aligned, individual.costs, None, ())

    best, first = file(evolved.chosen), file(evolved.run.start[0])
    assert _chosen(best, first, False) is best and _chosen(best, first, True) is first


def test_it_is_judged_beside_its_start(people):
    few = people.select(["age", "sex", "education", "income", "health"])
    found = sfumato.evolve(few, seed=3, generations=2, workers=1)
    assert found.verdict.rehearsals == 1 and not found.verdict.belongs and not found.start_verdict.belongs
    assert "people_found" not in found.verdict.scores
    assert found.verdict.scores.keys() == found.start_verdict.scores.keys()
    html = report_of(found, found.job)
    for words in ("The evolution", "Gap of tables", "What others say of it", "tree_synthesis"):
        assert words in html
    record = json.loads(json.dumps(found.to_dict()))
    assert record["preset"] == "honest" and record["fitness"] == {"near": 0.1, "near_products": 0.001}


@pytest.mark.usefixtures("drawn")
def test_odd_tables_are_evolved_and_reported(tmp_path):
    """Missing values, constants, empty categories, names that are no words."""
    found = evolve(mixed_table(60), generations=1)
    for path in write_release(found, tmp_path / "out.csv", source="/home/ann/people.csv"):
        text = path.read_text(encoding="utf-8")
        assert "SECRET" not in text
        assert "/home/ann" not in text or path.name == "study.toml"


def test_it_is_what_mask_would_make_but_for_the_random_numbers(people):
    """Margins are exact in both: of categories, and of numbers that several people have."""
    alone = people.select([a.name for a in people.schema if a.role != "household"])
    found = evolve(alone, synthesis=CalibratedSynthesis(proposals=3, single=True))
    masked = masked_with(CalibratedSynthesis(proposals=3, single=True), alone, seed=3)
    for name in found.masked:
        assert np.array_equal(np.sort(found.aligned[name]), np.sort(masked[name]), equal_nan=True)


@pytest.mark.parametrize(
    "text", ["calibrated_synthesis(coincidences=false, proposals=2)", "calibrated_synthesis(proposals=2)"]
)
def test_the_price_of_no_coincidences_is_told(fewer, text):
    """On screen, in the record, and in the report; of what has no price nothing is said."""
    few, has_price = fewer.select(["age", "sex", "marital", "income"]), "false" in text
    quick = {"seed": 1, "workers": 1, "with_verdict": False}
    protected, evolved = sfumato.protect(few, masking=text, **quick), evolve(few, synthesis=text)
    masked = Mask(masking=text, seed=1).run(open_source(few), work=Work())
    for found in (protected, evolved, masked):
        told = "\n".join(line for line in found.told() if isinstance(line, str))
        assert ("learns that her record is not in the file" in told) == has_price
        assert ("prices" in found.to_dict()) == has_price
    for found in (protected, evolved):
        html = report_of(found, found.job)
        assert ("learns that her record is not in the file" in html) == has_price
