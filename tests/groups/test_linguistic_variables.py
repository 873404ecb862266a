import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError, ParameterError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets.census_pair import BASIC, HARMONISATION, WORDS, census_pair
from sfumato.groups.harmonised_files import Harmonisation, harmonise
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.word_proposals import propose_vocabulary


def test_the_words_of_the_source():
    """Section "Input variables identification": how many values each of the 12 variables has."""
    words = Vocabulary.from_toml(WORDS)
    assert words.names == BASIC[:-1]
    assert words.sizes == tuple(1 + count for count in (5, 2, 2, 2, 3, 2, 2, 3, 3, 3, 2, 3))


def test_the_first_published_rule_as_a_sentence():
    """Table 5, first row."""
    words = Vocabulary.from_toml(WORDS)
    assert words.sentence((1, 0, 0, 0, 0, 0, 2, 3, 1, 1, 0, 2)) == (
        "young, not married, walks to work, leaves at night, short way, medium income → group"
    )
    assert words.sentence((0,) * 12) == "anybody → group"


def test_words_fit_the_generated_files_before_and_after_harmonisation():
    pair = census_pair(3000, seed=1)
    words = Vocabulary.from_toml(WORDS)
    words.check_fits(pair.survey, "microfile")
    for found in harmonise(pair.released, pair.auxiliary, Harmonisation.from_toml(HARMONISATION)):
        words.check_fits(found.table, "microfile")
        assert found.table["age"].min() >= 18 and found.table["age"].max() <= 45
        assert 0 < found.table.n < 3000


def test_neighbouring_words_of_a_number_leave_no_gap():
    words = Vocabulary.from_toml(WORDS)
    pair = census_pair(2000, seed=1)
    for variable in words:
        attribute = pair.survey.schema[variable.attribute]
        if attribute.is_numeric:
            grades = variable.memberships(attribute, np.unique(pair.survey[variable.attribute]))
            assert np.all(grades[:, 0] == 1)
            assert np.all(grades[:, 1:].max(axis=1) >= 0.499)


def test_toml_goes_round(tmp_path):
    words = Vocabulary.from_toml(WORDS)
    import tomli_w

    path = tmp_path / "words.toml"
    path.write_text(tomli_w.dumps(words.to_dict()), encoding="utf-8")
    assert Vocabulary.read(path) == words
    with pytest.raises(FileError, match="does not exist"):
        Vocabulary.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("[age", DataError, "not valid TOML"),
        ("", DataError, "at least one linguistic variable"),
        ("age = 3\n", DataError, r"\[age\]: give one line per word"),
        ("[age]\nyoung = 3\n", DataError, "young: a word is a table"),
        ("[age]\nyoung = { }\n", DataError, "exactly one of trapezoid"),
        ("[age]\nyoung = { circle = [1] }\n", UnknownNameError, "shape of a fuzzy set 'circle'"),
        ("[age]\nyoung = { triangle = 3 }\n", DataError, "takes a list"),
        ("[age]\nyoung = { triangle = [3] }\n", DataError, r"\[age\], young: a triangle takes 3 numbers"),
    ],
)
def test_faults_are_explained(text, error, complaint):
    with pytest.raises(error, match=complaint):
        Vocabulary.from_toml(text)


def test_a_file_without_an_attribute_is_refused():
    table = census_pair(10, seed=1).survey.select(["age"])
    with pytest.raises(DataError, match="the microfile has no column education"):
        Vocabulary.from_toml(WORDS).check_fits(table, "microfile")


def proposed(attribute, values, **details):
    found = propose_vocabulary(
        Table(Schema([attribute]), {attribute.name: values}), [attribute.name], **details
    )
    return {word.name: word.meaning for word in found.variables[0].words}


def test_words_at_the_quantiles_of_a_number():
    income = Attribute(name="income", scale="numeric")
    words = proposed(income, np.arange(100.0))
    assert list(words) == ["low", "medium", "high"]
    grades = np.column_stack([w.membership(income, np.arange(100.0)) for w in words.values()])
    assert np.allclose(grades.sum(axis=1), 1)
    assert (grades > 0.5).sum(axis=0).tolist() == [33, 32, 33]  # two values stand on a crossing


def test_words_of_few_numbers_and_of_categories():
    few = Attribute(name="rooms", scale="numeric")
    assert list(proposed(few, [1.0, 2, 2, np.nan])) == ["1", "2"]
    town = Attribute(name="town", scale="nominal", categories=("a", "b", "c"), labels={"b": "B-ville"})
    assert list(proposed(town, [0] * 300 + [1] * 300 + [2, -1])) == ["a", "b"]
    school = Attribute(name="school", scale="ordinal", categories=tuple("abcdef"))
    words = proposed(school, [0, 0, 1, 1, 2, 3, 3, 4, 5, 5], words=2)
    assert [word.points for word in words.values()] == [("a", "b", "c"), ("d", "e", "f")]


def test_nothing_to_make_words_of():
    same = Attribute(name="same", scale="numeric")
    with pytest.raises(DataError, match="none of the attributes varies"):
        proposed(same, [1.0, 1.0, np.nan])
    with pytest.raises(ParameterError, match="words must be one of 2, 3, 5"):
        proposed(same, [1.0], words=4)


PAIR = census_pair(20_000, areas=10, planted=2, share=0.01, seed=3)
SOLDIERS = PAIR.auxiliary["military"] == 1


def by_group(names, member=SOLDIERS):
    found = propose_vocabulary(PAIR.auxiliary, names, member=member)
    return {one.attribute: {word.name: word.meaning for word in one.words} for one in found}


def test_words_of_a_known_group_meet_where_its_share_changes():
    words = by_group(BASIC)
    assert 20 < words["age"]["low"].points[3] < 30  # in the whole file a third are below 32
    assert 400 < words["departure"]["medium"].points[2] < 600  # before six in the morning
    assert {"hispanic", "race", "english"}.isdisjoint(words)  # they tell soldiers from nobody


def test_neighbouring_words_of_a_group_cross_and_leave_no_gap():
    age = PAIR.auxiliary.schema["age"]
    grades = np.column_stack(
        [w.membership(age, np.unique(PAIR.auxiliary["age"])) for w in by_group(["age"])["age"].values()]
    )
    np.testing.assert_allclose(grades.sum(axis=1), 1)


def test_a_group_that_nothing_tells_has_the_usual_words():
    names = ["age", "race", "weeks"]
    by_lot = np.random.default_rng(1).random(PAIR.auxiliary.n) < 0.01
    usual = propose_vocabulary(PAIR.auxiliary, names)
    found = propose_vocabulary(PAIR.auxiliary, names, member=by_lot)
    assert found.names == usual.names
    assert [one for one in found if one.attribute != "race"] == [
        one for one in usual if one.attribute != "race"
    ]


def test_a_category_that_members_have_has_a_word_however_rare_it_is():
    town = Attribute(name="town", scale="nominal", categories=("a", "b", "c"))
    values, member = np.zeros(10_000, int), np.zeros(10_000, bool)
    values[:20], values[5000:], member[:30] = 2, 1, True
    assert list(proposed(town, values)) == ["a", "b"]
    assert list(proposed(town, values, member=member)) == ["a", "b", "c"]


LETTERS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
MEANINGS = st.one_of(
    st.lists(st.floats(-1e9, 1e9), min_size=4, max_size=4).map(lambda p: {"trapezoid": sorted(p)}),
    st.lists(LETTERS, min_size=1, max_size=3).map(lambda values: {"set": values}),
)
PHRASES = st.just({}) | LETTERS.map(lambda text: {"phrase": text})
TABLES = st.dictionaries(
    LETTERS,
    st.dictionaries(LETTERS, st.builds(lambda m, p: {**m, **p}, MEANINGS, PHRASES), min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


@given(TABLES)
def test_words_read_back_as_they_were_written(tables):
    words = Vocabulary.from_dict(tables)
    assert Vocabulary.from_toml(words.to_toml()) == words


def test_written_words_are_a_line_each():
    text = Vocabulary.from_dict({"way to work": {"on foot": {"set": ["50"], "phrase": "walks"}}}).to_toml()
    assert text == '["way to work"]\n"on foot" = { set = ["50"], phrase = "walks" }\n'


def test_proposed_words_cover_both_files():
    age = Attribute(name="age", scale="numeric")
    young, old = (
        Table(Schema([age]), {"age": np.arange(low, high, 1.0)}) for low, high in ((20, 60), (5, 90))
    )
    alone, both = propose_vocabulary(young, ["age"]), propose_vocabulary(young, ["age"], others=[old])
    ages = np.array([5.0, 89.0])
    assert alone.variables[0].memberships(age, ages)[:, 1:].max() == 0
    assert both.variables[0].memberships(age, ages)[:, 1:].max(axis=1).tolist() == [1, 1]
    inner = np.arange(20.0, 60)
    np.testing.assert_array_equal(
        alone.variables[0].memberships(age, inner), both.variables[0].memberships(age, inner)
    )
