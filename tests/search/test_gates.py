import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, UnknownNameError
from sfumato.masking import GlobalRecoding, LocalSuppression, Mdav
from sfumato.measures import DistanceLinkage, KAnonymity, Score
from sfumato.search.maskings.demands import demanded, demands
from sfumato.search.maskings.gates import Gate, GateReading

SCORES = {
    "k_anonymity": Score(measure="k_anonymity", value=12.0, parts={"smallest": 4.0}, seconds=0.0),
    "distance_linkage": Score(measure="distance_linkage", value=2.0, parts={}, seconds=0.0),
}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("k >= 5", "k_anonymity.smallest >= 5"),
        ("k>=5", "k_anonymity.smallest >= 5"),
        ("  linkage < 2.5 % ", "distance_linkage < 2.5"),
        ("loss <= 30", "information_loss <= 30"),
        ("risk <= 30", "disclosure_risk <= 30"),
        ("k_anonymity.uniques <= 0", "k_anonymity.uniques <= 0"),
        ("dbil > 1", "dbil > 1"),
        ("suda2 <= 5", "suda2 <= 5"),
        ("suda2(size=2).special_uniques <= 1", "suda2(size=2).special_uniques <= 1"),
        ("individual_risk(weighted=false) <= 0.1", "individual_risk(weighted=false) <= 0.1"),
        ("individual_risk(weighted=false).largest <= 10", "individual_risk(weighted=false).largest <= 10"),
        ("uniqueness.above <= 0", "individual_risk.above <= 0"),
        ("journalist <= 2", "reidentification_risk(intruder=journalist) <= 2"),
        ("k-map.smallest >= 11", "k_map.smallest >= 11"),
        ("l_diversity(l=3.0) <= 0", "l_diversity(l=3.0) <= 0"),
        ("t_closeness.largest <= 20", "t_closeness.largest <= 20"),
    ],
)
def test_gates_are_read_as_people_write_them(text, read):
    gate = Gate.parse(text)
    assert str(gate) == read
    assert Gate.parse(str(gate)) == gate


@pytest.mark.parametrize(
    "text", ["", "k", "k = 5", "k >= five", "k >= -1", ">= 5", "k >= 5 and more", "k => 5"]
)
def test_malformed_gates_are_refused(text):
    with pytest.raises(DataError, match="A requirement reads MEASURE <= NUMBER"):
        Gate.parse(text)


def test_unknown_measures_get_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"Unknown measure 'k_anonimity'. Did you mean k_anonymity\?"):
        Gate.parse("k_anonimity >= 5")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("k >= 4", True),
        ("k > 4", False),
        ("k >= 5", False),
        ("linkage <= 2", True),
        ("linkage < 2", False),
        ("k_anonymity <= 12", True),
    ],
)
def test_a_gate_holds_on_the_right_side_of_its_limit(text, holds):
    assert Gate.parse(text).holds(SCORES) is holds


def test_an_unknown_part_is_refused():
    with pytest.raises(
        UnknownNameError, match=r"Unknown part of k_anonymity 'smalest'. Did you mean smallest"
    ):
        Gate.parse("k_anonymity.smalest >= 5").holds(SCORES)


def test_a_gate_brings_its_measure():
    assert Gate.parse("k >= 5").measure == KAnonymity()


@given(st.floats(0, 1e12, allow_nan=False), st.sampled_from(["<=", ">=", "<", ">"]))
def test_a_gate_reads_back_as_it_is_written(limit, comparison):
    gate = Gate(DistanceLinkage(), "", comparison, limit)
    assert Gate.parse(str(gate)) == gate


def test_a_reading_holds_the_gate_and_is_written_as_people_write_it():
    gate = Gate.parse("k >= 5")
    reading = GateReading(gate=gate, reading=7.0, holds=True)
    assert reading.gate is gate
    assert reading.to_dict() == {"gate": "k_anonymity.smallest >= 5", "reading": 7.0, "holds": True}
    assert list(reading.to_dict()) == ["gate", "reading", "holds"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("k >= 5", {"k": 5}),
        ("k > 5", {"k": 6}),
        ("k_anonymity.smallest <= 5", {}),
        ("k_anonymity.classes >= 50", {}),
        ("k_anonymity(k=4) <= 0", {"k": 4}),
        ("k_anonymity(k=4) <= 1", {}),
        ("l_diversity.smallest <= 3", {}),
        ("t_closeness.largest >= 20", {}),
    ],
)
def test_methods_are_asked_for_what_the_smallest_class_must_have(text, asked):
    found = demands([Gate.parse(text)])
    assert {name: found[name] for name in found if name != "missing"} == asked


def test_a_method_is_asked_for_what_it_knows_and_can_choose():
    asked = {"k": 4, "missing": "any", "t": 0.2}
    assert [*demanded(Mdav, [{"k": 2}, {"k": 3}], asked)] == [{"k": 4, "missing": "any", "t": 0.2}]
    unknown = {"k": 4, "missing": "as nobody reads it"}
    assert [*demanded(LocalSuppression, [{"k": 2}], unknown)] == [{"k": 4}]
    assert [*demanded(GlobalRecoding, [{"p": 2}, {"p": 3}], asked)] == [{"p": 2}, {"p": 3}]  # no groups
    assert [*demanded(Mdav, [{"k": 2}], {"nobody": 1})] == [{"k": 2}]
