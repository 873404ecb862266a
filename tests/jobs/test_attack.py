import pytest

import sfumato
from sfumato.attacks import DistanceLinkage
from sfumato.core import DataError, UnknownNameError, registry
from sfumato.jobs.attack import Attacks


@pytest.fixture(scope="module")
def survey():
    return sfumato.datasets.household_survey(200, seed=1)


@pytest.fixture(scope="module")
def released(survey):
    return sfumato.mask(survey, {"method": "mdav", "k": 4, "attributes": ["age"]}, seed=1)


def test_every_attack_that_fits_is_made(survey, released):
    found = sfumato.attack(survey, released)
    assert isinstance(found, Attacks)
    assert set(found.results) <= set(registry.names("attacks"))
    assert {"distance_linkage", "learned_linkage"} <= set(found.results)
    assert found.worst.attack.value == max(one.attack.value for one in found.results.values())


def test_an_empty_list_names_none_as_no_list_does(survey, released):
    assert list(sfumato.attack(survey, released, []).results) == list(
        sfumato.attack(survey, released).results
    )


def test_an_attack_finds_the_same_alone_and_among_others(survey, released):
    alone = sfumato.attack(survey, released, ["learned_linkage"], seed=3)
    among = sfumato.attack(survey, released, seed=3)
    assert alone.results["learned_linkage"].to_dict() == among.results["learned_linkage"].to_dict()
    other = sfumato.attack(survey, released, ["learned_linkage"], seed=4)
    assert other.to_dict() != alone.to_dict()


def test_attacks_of_one_kind_are_told_apart(survey, released):
    attacks = [DistanceLinkage(), DistanceLinkage(ties="miss")]
    found = sfumato.attack(survey, released, attacks)
    assert list(found.results) == ["distance_linkage", "distance_linkage(ties=miss)"]
    frame = found.to_frame()
    assert frame.column_names == ["attack", "rate", "value", "low", "high"]
    assert frame.num_rows == 6


def test_numbers_and_categories_are_attacked_by_what_takes_them(survey, released):
    names = [n for n in survey.schema.with_role("key") if survey.schema[n].scale == "nominal"]
    found = sfumato.attack(survey.select(names), released.select(names))
    for name in found.results:
        assert "nominal" in registry.load("attacks", name).scales


def test_wrong_input_is_refused(survey, released):
    with pytest.raises(UnknownNameError, match="Unknown attack 'distance_linkag'"):
        sfumato.attack(survey, released, ["distance_linkag"])
    with pytest.raises(DataError, match="no attack can use a key attribute"):
        sfumato.attack(
            survey, released.select(["household"]) if "household" in released else released.select([])
        )
