"""Several groups at once: each looked for by itself, all hidden by the same swaps."""

import numpy as np
import pytest

from sfumato import group_attack, group_protect, group_report
from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets.census_pair import census_pair
from sfumato.reports.group_protection import group_protection
from sfumato.search.optimizers.memetic import Memetic

PAIR = census_pair(12_000, areas=16, planted=2, share=0.006, seed=5)
CROWDED = (1, 9)  # where nurses are


def with_nurses(table, seed):
    """The file with women who leave late, and gather in other places than soldiers do."""
    rng = np.random.default_rng(seed)
    chances = np.full(16, 0.006)
    chances[[*CROWDED]] = 0.05
    nurse = rng.random(table.n) < chances[table["workplace"]]
    columns = {name: table[name].copy() for name in table.names}
    columns["departure"][nurse] = rng.integers(1900, 2200, int(nurse.sum()))
    columns["sex"][nurse] = 1
    told = Attribute(name="nurse", scale="nominal", categories=("0", "1"), role="confidential")
    return Table(Schema([*table.schema, told]), {**columns, "nurse": nurse.astype(np.int8)})


SURVEY, CENSUS = with_nurses(PAIR.survey, 1), with_nurses(PAIR.auxiliary, 2)
NURSED = tuple(SURVEY.schema["workplace"].categories[at] for at in CROWDED)
SOLDIERS, NURSES = ["military=1"], ["nurse=1"]
SCENE = {"parameter": "workplace", "signal": "concentration", "significance": 0.01}
QUICK = {"optimizer": Memetic(population=10), "generations": 5, "attack_generations": 8, "seed": 1}


@pytest.fixture(scope="module")
def hidden():
    return group_protect(
        SURVEY, auxiliary=[CENSUS], vital=SOLDIERS, also=NURSES, hide=PAIR.planted + NURSED, **SCENE, **QUICK
    )


def test_each_group_has_rules_of_its_own():
    asked = {**SCENE, "seed": 1, "generations": 20, "runs": 2}
    both = group_attack(SURVEY, CENSUS, vital=SOLDIERS, also=NURSES, **asked)
    (nurses,) = both.others
    names = {*both.model.vocabulary.names, *nurses.model.vocabulary.names}
    assert names.isdisjoint({"military", "nurse"})
    alone = group_attack(
        *(table.select(n for n in table.names if n != "military") for table in (SURVEY, CENSUS)),
        vital=NURSES,
        **asked,
    )
    assert nurses.model.rules == alone.model.rules
    assert nurses.found.names == alone.found.names
    assert both.to_dict()["others"][0]["outliers"] == list(alone.found.names)
    told = [line for line in both.told() if isinstance(line, str)]
    heads = [line.strip() for line in told if line.strip().startswith("The group ") and line.endswith("=1")]
    assert heads == ["The group military=1", "The group nurse=1"]


def test_both_are_hidden_by_the_same_swaps(hidden):
    (nurses,) = hidden.others
    assert nurses.about == "nurse=1"
    assert (hidden.comparison.named, nurses.comparison.named) == (PAIR.planted, NURSED)
    for one in (hidden, nurses):
        assert not one.truth.still_found
        assert not one.comparison.still_found
        assert one.verdict.seen <= 0.1 * one.verdict.cases
    assert {"military", "nurse"}.isdisjoint(hidden.release.names)
    seen = SURVEY["nurse"] == 1
    counts = [np.bincount(file["workplace"][seen], minlength=16) for file in (SURVEY, hidden.aligned)]
    assert (counts[1][[*CROWDED]] < counts[0][[*CROWDED]] / 2).all()
    sizes = [np.bincount(file["workplace"]) for file in (SURVEY, hidden.aligned)]
    assert (sizes[0] == sizes[1]).all()


def test_nobody_who_trades_belongs_to_either(hidden):
    partners = hidden.swaps.rows[:, 3]
    assert not (SURVEY["military"][partners] == 1).any()
    assert not (SURVEY["nurse"][partners] == 1).any()


def test_screen_record_and_page_tell_of_each(hidden):
    told = "\n".join(map(str, hidden.told()))
    assert "The group military=1" in told and "nurse=1: Hidden" in told
    assert hidden.to_dict()["others"][0]["group"] == "nurse=1"
    assert hidden.others[0].comparison.verdict in group_protection(hidden)


def test_a_place_that_hides_one_group_is_an_ordinary_place_to_the_other():
    found = group_protect(SURVEY, vital=SOLDIERS, also=NURSES, **SCENE, **QUICK)
    names = found.comparison.before.places
    hides = [{names[at] for at in places.tolist()} for places in found.target.hidden]
    assert set(PAIR.planted) <= hides[0] and set(NURSED) <= hides[-1]
    assert set(found.target.givers.tolist()) == set.union(*({*one.tolist()} for one in found.target.hidden))


def test_a_report_looks_for_each(hidden):
    found = group_report(SURVEY, hidden.aligned, vital=SOLDIERS, also=NURSES, **SCENE)
    (nurses,) = found.others
    assert set(NURSED) <= set(nurses.found_before.names)
    assert not set(NURSED) & set(nurses.found_after.names)
    assert nurses.verdict.startswith("nurse=1: ")
    assert nurses.verdict in "\n".join(map(str, found.told()))


def test_a_model_or_words_to_save_are_of_one_group(hidden, tmp_path):
    with pytest.raises(ParameterError, match="a model is of one group"):
        group_report(SURVEY, SURVEY, model=hidden.model, vital=SOLDIERS, also=NURSES, **SCENE)
    with pytest.raises(ParameterError, match="words are proposed for each group"):
        group_attack(SURVEY, CENSUS, vital=SOLDIERS, also=NURSES, save_words=tmp_path / "words.toml", **SCENE)


def test_nothing_to_hide_in_any_group_is_refused():
    with pytest.raises(DataError, match="sees no place"):
        group_protect(SURVEY, vital=["sex=1"], also=["sex=2"], **SCENE, **QUICK)
