import json

import numpy as np
import pytest
from matplotlib.figure import Figure

from sfumato import group_attack
from sfumato.core import DataError, FileError, ParameterError, UnknownNameError
from sfumato.datasets.census_pair import WORDS, census_pair
from sfumato.groups.linguistic_variables import Vocabulary

SHORT = {"runs": 2, "generations": 30}


@pytest.fixture(scope="module")
def pair():
    return census_pair(60_000, areas=50, planted=5, seed=4)


@pytest.fixture(scope="module")
def soldiers(pair):
    return {"vital": pair.vital, "parameter": pair.parameter}


@pytest.fixture(scope="module")
def words():
    return Vocabulary.from_toml(WORDS)


@pytest.fixture(scope="module")
def attack(pair, soldiers, words):
    return group_attack(pair.survey, pair.auxiliary, words=words, **soldiers, **SHORT)


def test_planted_areas_are_found_and_hardly_any_others(attack, pair):
    found = set(attack.found.names)
    assert attack.has_model
    assert len(found & set(pair.planted)) >= 4
    assert len(found - set(pair.planted)) <= 1
    assert attack.adequacy.reading == "decisive"
    assert attack.verdict.startswith("The group is exposed: ")


def test_the_vital_attribute_of_the_microfile_is_never_used(attack, pair, soldiers, words):
    blind = group_attack(pair.released, pair.auxiliary, words=words, **soldiers, **SHORT)
    assert blind.model.rules == attack.model.rules
    assert np.array_equal(blind.signal.values, attack.signal.values)
    assert blind.adequacy is None and blind.true_signal is None
    assert blind.has_model and blind.verdict == "The attack sees 5 places of this file that stand out."
    told = [text for text in blind.told() if isinstance(text, str)]
    assert told[:2] == [
        blind.verdict,
        f"Outliers that the attack sees in this file: {', '.join(blind.found.names)}",
    ]
    assert any("Rehearsal on the auxiliary file. The group is exposed" in text for text in told)
    assert isinstance(blind.plot(), Figure)


def test_a_group_that_nothing_describes_has_no_model(words):
    pair = census_pair(60_000, areas=50, planted=5, described=0.0, seed=4)
    soldiers = {"vital": pair.vital, "parameter": pair.parameter}
    attack = group_attack(pair.survey, pair.auxiliary, words=words, **soldiers, **SHORT)
    assert not attack.has_model
    assert attack.verdict.startswith("No model: ")
    assert attack.adequacy.ln_b < 1


def test_words_are_made_from_the_data_where_none_are_given(pair, soldiers):
    attack = group_attack(pair.released, pair.auxiliary, **soldiers, **SHORT)
    assert set(attack.model.vocabulary.names).isdisjoint(("military", "workplace"))
    assert len(set(attack.found.names) & set(pair.planted)) >= 3


def test_rules_read_as_sentences(attack):
    row = attack.to_frame().to_pylist()[0]
    assert row["sentence"].endswith("→ group")
    assert row["relative_confidence"] > 0.75 and row["support"] > 0.002
    assert any("walks to work" in sentence for sentence in attack.model.sentences)


def test_everything_goes_into_json(attack):
    shown = json.loads(json.dumps(attack.to_dict()))
    assert shown["has_model"] and len(shown["signals"]) == 50
    assert {"auxiliary", "outlier", "true", "true_outlier"} < set(shown["signals"][0])


def test_a_struck_place_is_no_secret(attack, pair, soldiers):
    struck = attack.found.names[0]
    again = group_attack(pair.survey, pair.auxiliary, model=attack.model, strike=[struck], **soldiers)
    assert struck in attack.adequacy.disclosed
    assert struck not in again.found.names + again.adequacy.undisclosed


def test_the_same_seed_gives_the_same_attack(attack, pair, soldiers, words):
    again = group_attack(pair.survey, pair.auxiliary, words=words, **soldiers, **SHORT)
    assert again.to_dict() == attack.to_dict()


def test_a_concentration_does_not_depend_on_the_size_of_a_place(attack, pair, soldiers):
    shares = group_attack(pair.survey, pair.auxiliary, model=attack.model, signal="concentration", **soldiers)
    assert np.allclose(shares.signal.values * shares.signal.records, attack.signal.values)
    assert len(set(shares.found.names) & set(pair.planted)) >= 4


def test_the_picture_shows_both_signals(attack):
    figure = attack.plot()
    (ax,) = figure.axes
    solid, dashed = ax.get_lines()
    assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
    assert np.array_equal(solid.get_ydata(), attack.true_signal.values)
    assert np.array_equal(dashed.get_ydata(), attack.signal.values)


def test_wrong_files_are_explained(pair, soldiers, words):
    with pytest.raises(DataError, match="the auxiliary file has no column military"):
        group_attack(pair.survey, pair.released, words=words, **soldiers)
    with pytest.raises(DataError, match="the microfile has no column age"):
        group_attack(pair.survey.select(["sex", "workplace"]), pair.auxiliary, words=words, **soldiers)
    with pytest.raises(DataError, match="the microfile holds no record"):
        group_attack(pair.survey.take(np.array([], int)), pair.auxiliary, words=words, **soldiers)
    told = Vocabulary.from_toml(WORDS + '[military]\nyes = { set = ["1"] }\n')
    with pytest.raises(DataError, match="military is the vital attribute; rules must not speak of it"):
        group_attack(pair.survey, pair.auxiliary, words=told, **soldiers)
    with pytest.raises(UnknownNameError, match="value of sex in the word man 'm'"):
        other = Vocabulary.from_toml('[sex]\nman = { set = ["m"] }\n')
        group_attack(pair.survey, pair.auxiliary, words=other, **soldiers)
    with pytest.raises(ParameterError, match="signal must be one of"):
        group_attack(pair.survey, pair.auxiliary, words=words, signal="both", **soldiers)


def test_what_was_learnt_serves_again(attack, pair, soldiers, tmp_path):
    kept = tmp_path / "attack.json"
    kept.write_text(json.dumps(attack.to_dict()), encoding="utf-8")
    again = group_attack(pair.survey, pair.auxiliary, model=kept, **soldiers)
    assert again.model.rules == attack.model.rules
    assert np.array_equal(again.signal.values, attack.signal.values)
    (tmp_path / "other.json").write_text('{"rules": []}', encoding="utf-8")
    for name, complaint in (("other.json", "is not the record of an attack"), ("no.json", "does not exist")):
        with pytest.raises(FileError, match=complaint):
            group_attack(pair.survey, pair.auxiliary, model=tmp_path / name, **soldiers)


def test_places_with_few_records_are_told(attack, pair, soldiers):
    assert attack.to_dict()["small_places"] == []
    told = group_attack(pair.survey, pair.auxiliary, model=attack.model, smallest=1200, **soldiers, **SHORT)
    few = [p for p, n in zip(told.signal.places, told.signal.records, strict=True) if n < 1200]
    assert few and told.to_dict()["small_places"] == few
    assert any(str(text).startswith("Fewer than 1200 records") for text in told.told())


def test_a_file_with_one_place_is_refused(pair, soldiers):
    here = pair.survey.take(np.flatnonzero(pair.survey["workplace"] == 3))
    with pytest.raises(DataError, match="all records are in one place"):
        group_attack(here, pair.auxiliary, **soldiers, **SHORT)


def test_the_words_of_an_attack_can_be_edited_and_given_again(attack, tmp_path):
    path = tmp_path / "words.toml"
    path.write_text(attack.contents()["save_words"], encoding="utf-8")
    assert Vocabulary.read(path) == attack.model.vocabulary
