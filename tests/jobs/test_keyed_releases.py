"""Releases hang on a key: drawn anew, kept by the owner, and enough to do the same again."""

import json
import shutil
from contextlib import chdir
from functools import partial

import numpy as np
import pytest

import sfumato
from sfumato.core import DataError, FileError, Key, ParameterError
from sfumato.data import write_table
from sfumato.datasets import household_survey
from sfumato.jobs import Work
from sfumato.jobs._order import Order
from sfumato.jobs.mask import Mask

protect = partial(
    sfumato.protect, policy="none", with_verdict=False
)  # which take long, each tested by itself


@pytest.fixture(scope="module")
def people():
    return household_survey(100, seed=1)


def with_people(people, folder):
    write_table(people, folder / "people.csv")
    (folder / "people.toml").write_text(people.schema.to_toml(), encoding="utf-8")
    return folder


@pytest.fixture
def folder(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return with_people(people, tmp_path)


@pytest.fixture(scope="module")
def protected(people, tmp_path_factory):
    """A folder with a release, and what was told of it."""
    folder = with_people(people, tmp_path_factory.mktemp("protected"))
    with chdir(folder):
        found = protect("people.csv", schema="people.toml", output="out.csv", methods=["pram"])
    return folder, found


@pytest.fixture
def released(protected, tmp_path, monkeypatch):
    """A copy of that folder, to work in, and what was told."""
    shutil.copytree(protected[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path, protected[1]


def masked(folder, name="out.csv", **given):
    settings = {"schema": "people.toml", "output": folder / name, **given}
    return sfumato.mask("people.csv", "rank_swapping(p=20)", **settings)


def test_every_release_is_another_and_its_key_gives_it_again(folder):
    first, second = masked(folder), masked(folder, "other.csv")
    assert first.fingerprint != second.fingerprint
    masked(folder, "again.csv", secret="out.private/secret.key")
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    assert (folder / "other.csv").read_bytes() != (folder / "out.csv").read_bytes()


def test_a_seed_is_for_studies(people):
    found = protect(people, methods=["pram"], seed=3)
    assert not found.ready and "--seed 3" in found.unready_because
    assert found.to_dict()["publication"]["ready"] is False
    assert any("NOT READY FOR PUBLICATION" in str(line) for line in found.told())
    assert sfumato.protect(people, masking="pram").ready
    with pytest.raises(ParameterError, match="one or the other"):
        protect(people, methods=["pram"], seed=3, secret=Key.drawn())


def test_a_job_that_was_not_settled_says_so(people):
    job = Mask(masking="mdav")
    with pytest.raises(ParameterError, match="no key was drawn"):
        job.run(Work().open(people), work=Work())


def test_a_release_is_in_random_order_and_evaluated_as_if_it_were_not(people, released):
    folder, found = released
    table = sfumato.read_table(folder / "out.csv", schema=found.published.full)
    assert not np.array_equal(table["weight"], people["weight"])
    order = Order.read(folder / "out.private" / "order.csv")
    assert np.array_equal(table["weight"], people["weight"][order.rows])
    again = sfumato.evaluate("people.csv", "out.csv", schema="people.toml")
    before = sfumato.evaluate(people, found.aligned)
    assert {n: s.value for n, s in again.scores.items()} == {n: s.value for n, s in before.scores.items()}
    attacks = [
        sfumato.attack(*files, attacks=["distance_linkage"])
        for files in (
            (people, found.aligned),
            (people, table.take(order.back())),
        )
    ]
    assert attacks[0].to_dict()["results"] == attacks[1].to_dict()["results"]


def test_an_order_that_is_not_that_of_the_file_is_refused(people, folder):
    masked(folder, shuffle=True)
    for text, told in (
        ("record\n1\n2\n", "is that of 2 records"),
        ("record\n" + "1\n" * people.n, "twice"),
        ("record\n" + "\n".join(map(str, range(2, people.n + 2))), f"names record {people.n + 1}"),
    ):
        (folder / "order.csv").write_text(text)
        with pytest.raises(DataError, match=told):
            sfumato.evaluate("people.csv", "out.csv", schema="people.toml", order="order.csv")
    for text in ("", "record\n0\n", "record\nx\n", "other\n1\n"):
        (folder / "order.csv").write_text(text)
        with pytest.raises(FileError, match="whole numbers from 1"):
            sfumato.evaluate("people.csv", "out.csv", schema="people.toml", order="order.csv")


def test_the_private_study_gives_the_same_bytes(released):
    from sfumato.data.study_file import Study
    from sfumato.jobs import job_of
    from sfumato.reports.delivery import perform

    folder, _ = released
    before = {p.name: p.read_bytes() for p in folder.glob("out.*") if p.is_file()}
    order = (folder / "out.private" / "order.csv").read_bytes()
    path = folder / "out.private" / "study.toml"
    for made in folder.glob("out.*"):
        if made.is_file():
            made.unlink()
    assert "secret = " in path.read_text() and not (folder / "secret.key").exists()
    perform(job_of(Study.read(path), source=str(path), folder=path.parent))
    assert {p.name: p.read_bytes() for p in folder.glob("out.*") if p.is_file()} == before
    assert (folder / "out.private" / "order.csv").read_bytes() == order


def test_no_public_file_holds_anything_of_the_private_ones(released):
    folder, _ = released
    record = json.loads((folder / "out.private" / "record.json").read_text())
    secrets = [(folder / "out.private" / "secret.key").read_text().strip(), record["original"]["fingerprint"]]
    public = [path.read_text() for path in folder.glob("out.*") if path.is_file()]
    assert len(public) == 3
    assert not any(secret in text for secret in secrets for text in public)


def test_two_files_under_one_key_still_link(people, folder):
    masked(folder, "one.csv", shuffle=True)
    masked(folder, "two.csv", shuffle=True, secret="one.private/secret.key")
    one, two = (sfumato.read_table(f"{name}.csv") for name in ("one", "two"))
    assert set(one["household"]) == set(two["household"]) != set(people["household"])


def test_two_releases_under_one_key_have_orders_of_their_own(people):
    key = Key.drawn()
    one, other, again = (
        protect(people, masking=masking, secret=key) for masking in ("mdav(k=3)", "mdav(k=5)", "mdav(k=3)")
    )
    assert np.array_equal(one.order.rows, again.order.rows)
    assert (one.order.rows == other.order.rows).mean() < 0.1


@pytest.mark.parametrize("given", [{}, {"memory": "1KB"}], ids=["in memory", "on disk"])
def test_two_masked_files_under_one_key_have_orders_of_their_own(people, folder, given):
    write_table(people, "people.parquet")
    (folder / "key").write_text("5f" * 32)
    orders = []
    for name, k in (("one", 3), ("other", 5), ("again", 3)):
        settings = {
            "schema": "people.toml",
            "shuffle": True,
            "secret": "key",
            "output": f"{name}.parquet",
            **given,
        }
        sfumato.mask("people.parquet", f"mdav(k={k}, attributes=[age])", **settings)
        orders.append(Order.read(folder / f"{name}.private" / "order.csv").rows)
    one, other, again = orders
    assert np.array_equal(one, again) and (one == other).mean() < 0.1


def test_two_files_under_one_key_do_not_get_the_same_noise(people):
    key = Key.drawn()
    ages = people["age"] + 1.0
    older = people.replace({"age": ages})
    one, two = (
        sfumato.mask(table, "noise(alpha=0.5, attributes=[wealth])", secret=key) for table in (people, older)
    )
    assert not np.array_equal(one["wealth"], two["wealth"], equal_nan=True)
