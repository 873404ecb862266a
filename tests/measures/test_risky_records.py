import numpy as np
import pytest
from measure_tables import keys
from survey_tables import guide

from sfumato.core import ParameterError
from sfumato.measures import IndividualRisk, Suda2
from sfumato.measures.listings import riskiest


def test_the_riskiest_first_and_why():
    file = guide()
    listed = riskiest(file, file, count=10).records
    assert [one.record for one in listed[:4]] == [
        7,
        5,
        8,
        3,
    ]  # weights 180, 186, 215 twice: the larger score first
    assert [one.reason for one in listed[:4]] == [
        "the only record with this education",
        "the only record with this residence",
        "the only record with this education",
        "the only record with this education",
    ]
    assert listed[4].reason == "one of 2 records with these values of all keys"
    risk, scores = IndividualRisk().bind(file).records(file), Suda2().bind(file).scores(file)
    for one in listed:
        assert one.individual_risk == pytest.approx(100 * risk[one.record - 1])
        assert one.suda_score == scores[one.record - 1]


def test_larger_sets_are_named_in_words():
    file = guide()
    (first, *_) = riskiest(file, file, attributes=("gender", "work")).records
    assert first.reason == "the only record with this gender and work"


def test_records_that_are_alone_only_in_more_attributes_than_are_looked_at():
    columns = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1)
    file = keys(dict.fromkeys("uvwxy", ("nominal", "ab")), dict(zip("uvwxy", columns, strict=True)))
    assert {one.reason for one in riskiest(file, file).records} == {
        "the only record with these values of all keys"
    }


def test_no_value_is_told():
    file = guide()
    told = riskiest(file, file)
    words = " ".join(one.reason for one in told.records).split()
    labels = {label for name in file.names for label in file.schema[name].categories}
    assert not labels & set(words)
    assert told.to_frame().column_names == [
        "record",
        "individual_risk",
        "household_risk",
        "suda_score",
        "dis_score",
        "reason",
    ]
    with pytest.raises(ParameterError, match="count must be"):
        riskiest(file, file, count=0)
