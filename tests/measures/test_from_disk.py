from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_blocks import assert_as_in_memory, blocks_of, fitting, judged, masked_survey
from measure_tables import pairs

from sfumato.core import DataError, ParameterError, progress, registry
from sfumato.data import Attribute, Schema, Table
from sfumato.data.blocks import BlockWriter
from sfumato.datasets import household_survey
from sfumato.measures import (
    Balance,
    Bivariate,
    ChiSquare,
    Clustering,
    Ctbil,
    DisclosureRisk,
    DistanceLinkage,
    Estimate,
    IndividualRisk,
    InformationLoss,
    IntervalDisclosure,
    KAnonymity,
    LDiversity,
    Moments,
    Pil,
    Sse,
    TCloseness,
)
from sfumato.measures.from_disk import score_blocks
from sfumato.parallel import crew


@pytest.fixture(scope="module")
def survey():
    original = household_survey(900, seed=5)
    roles = {"hours": "key", "wealth": "key"}
    schema = Schema([a.evolve(role=roles.get(a.name, a.role)) for a in original.schema])
    original = original.with_schema(schema)
    return original, masked_survey(original)


@pytest.mark.parametrize("size", [70, pytest.param(333, marks=pytest.mark.slow), 900])
def test_every_measure_is_as_in_memory(survey, tmp_path, size):
    original, masked = survey
    measures = fitting(original)
    scores = judged(original, masked, tmp_path, size=size, measures=measures)
    assert {measure.name for measure in measures} == set(scores)
    for measure in measures:
        assert_as_in_memory(measure, scores[measure.plain()], original, masked)


@settings(max_examples=12)
@given(files=pairs(), size=st.integers(1, 8))
def test_every_measure_is_as_in_memory_with_recoded_domains_and_ties(files, size, tmp_path_factory):
    original, masked = files
    measures = fitting(original)
    scores = judged(original, masked, tmp_path_factory.mktemp("blocks"), size=size, measures=measures)
    for measure in measures:
        assert_as_in_memory(measure, scores[measure.plain()], original, masked)


def test_weights_count_as_in_memory(survey, tmp_path):
    original, masked = survey
    measures = [replace(measure, weighted=True) for measure in fitting(original)]
    scores = judged(original, masked, tmp_path, size=250, measures=measures)
    for measure in measures:
        assert_as_in_memory(measure, scores[measure.plain()], original, masked)


VARIANTS = [
    IntervalDisclosure(interval="sd"),
    IntervalDisclosure(interval="relative", averaged=False),
    IntervalDisclosure(interval="relative", standardised=True, percent=30),
    IntervalDisclosure(per_record=True, weighted=True),
    IntervalDisclosure(per_record=True, interval="sd"),
    IntervalDisclosure(interval="scaled"),
    Moments(family="balasch"),
    Moments(family="mean_square_error"),
    Moments(attributes=("age",), weighted=True),
    Ctbil(dimension=3),
    Bivariate(attributes=("sex",), crossed=("health", "marital")),
    KAnonymity(k=3, attributes=("sex", "age")),
    LDiversity(l=3, attributes=("sex", "region"), weighted=True),
    LDiversity(l=2, attributes=("age", "sex"), sensitive=("wealth", "health")),
    IndividualRisk(attributes=("region", "age")),
    Sse(attributes=("wealth", "age")),
    DistanceLinkage(direction="known"),
    DistanceLinkage(direction="known", second_nearest=True, ties="hit"),
    DistanceLinkage(second_nearest=True, distance="gower", attributes=("age", "wealth")),
    DistanceLinkage(attributes=("age", "wealth", "hours")),
    DisclosureRisk(attributes=("age", "sex")),
    InformationLoss(attributes=("age",)),
    InformationLoss(numeric="pil"),
    InformationLoss(numeric="pil", weighted=True),
    TCloseness(t=0.05, attributes=("sex", "region")),
    TCloseness(t=0.3, attributes=("sex", "age"), weighted=True),
    TCloseness(attributes=("region", "sex"), sensitive=("wealth", "health", "marital")),
    Pil(attributes=("wealth",)),
    Pil(attributes=("wealth", "age"), weighted=True),
    KAnonymity(k=3, missing="any", attributes=("sex", "region", "marital"), weighted=True),
    KAnonymity(missing="any"),
    IndividualRisk(missing="any", attributes=("age", "sex", "marital"), weighted=False),
    IndividualRisk(missing="any", attributes=("age", "sex", "marital")),
    LDiversity(l=2.5, variant="entropy", attributes=("sex", "region"), weighted=True),
    LDiversity(variant="entropy", attributes=("age", "sex"), sensitive=("wealth", "health")),
    LDiversity(l=3, variant="recursive", attributes=("sex", "region")),
    LDiversity(variant="recursive", c=0.5, attributes=("age", "sex"), sensitive=("wealth", "health")),
    Balance(how="mean"),
    ChiSquare(attributes=("sex",), crossed=("health", "marital"), weighted=True),
]


@pytest.mark.parametrize("measure", VARIANTS, ids=repr)
def test_options_are_those_of_the_measure(survey, tmp_path, measure):
    original, masked = survey
    scores = judged(original, masked, tmp_path, size=200, measures=[measure])
    assert_as_in_memory(measure, scores[measure.plain()], original, masked)


@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.slow), True])
def test_strata_are_judged_as_in_memory(survey, tmp_path, weighted):
    rows = np.flatnonzero(survey[0]["region"] < 3)  # each stratum is judged by itself, which takes long
    few = (table.take(rows) for table in survey)
    original, masked = (table.with_schema(with_strata(table.schema)) for table in few)
    measures = [replace(one, by_stratum=True, weighted=weighted) for one in fitting(original)]
    scores = judged(original, masked, tmp_path, size=150, measures=measures)
    for measure in measures:
        assert len(scores[measure.plain()].parts) == len(original.strata()) > 3
        assert_as_in_memory(measure, scores[measure.plain()], original, masked)
    assert any(isinstance(score, Estimate) for score in scores.values())
    assert list((tmp_path / "work").iterdir()) == []


def with_strata(schema):
    """By region and sex, which are no keys any longer."""
    return schema.replace([schema["region"].evolve(role="stratum"), schema["sex"].evolve(role="stratum")])


@pytest.mark.parametrize("cluster", ["", pytest.param("local", marks=pytest.mark.slow)])
def test_processes_and_clusters_change_nothing(survey, tmp_path, cluster):
    options = {"size": 200, "seed": 3, "sample": 150}
    here = judged(*survey, tmp_path / "1", **options)
    there = judged(*survey, tmp_path / "2", workers=2, cluster=cluster, **options)
    assert {name: replace(score, seconds=0).to_dict() for name, score in here.items()} == {
        name: replace(score, seconds=0).to_dict() for name, score in there.items()
    }


def test_without_a_list_all_that_fit_are_used_and_nothing_is_left_behind(survey, tmp_path):
    original, masked = survey
    scores = judged(original, masked, tmp_path, size=400)
    assert next(iter(scores)) == "information_loss"
    senses = [registry.load("measures", name).sense for name in scores]
    assert senses == sorted(senses)  # losses first, then risks
    assert set(scores) == {measure.name for measure in fitting(original)}
    assert list((tmp_path / "work").iterdir()) == []


def test_a_very_small_database_finds_the_same(survey, tmp_path):
    original, masked = survey
    measures = [KAnonymity(), IntervalDisclosure()]
    small = judged(original, masked, tmp_path, size=400, measures=measures, memory=2**24)
    for measure in measures:
        assert_as_in_memory(measure, small[measure.plain()], original, masked)


def test_progress_is_reported_and_can_stop_the_work(survey, tmp_path):
    class Listener:
        def __init__(self):
            self.labels = []

        def started(self, task):
            self.labels.append(task.label)

        def advanced(self, task):
            if task.label == "Comparing blocks":
                raise KeyboardInterrupt

        def finished(self, task):
            pass

        def noted(self, message):
            pass

    listener = Listener()
    with progress.listening(listener), pytest.raises(KeyboardInterrupt):
        judged(*survey, tmp_path, size=400, measures=[Sse()])
    assert listener.labels == ["Reading the files", "Comparing blocks"]
    assert list((tmp_path / "work").iterdir()) == []


def test_a_table_without_records_loses_nothing(survey, tmp_path):
    schema = survey[0].schema
    a, b = (BlockWriter(tmp_path / name, schema).write_all([]) for name in "ab")
    with crew(None) as here:
        scores = score_blocks(a, b, folder=tmp_path / "work", crew=here, measures=[Sse(), KAnonymity()])
    assert [score.value for score in scores.values()] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (Clustering(), "clustering is not for files larger than memory"),
        (Sse(by_stratum=True), "sse: no attribute has the role stratum"),
        (DistanceLinkage(distance="mahalanobis"), "distance_linkage: distance=mahalanobis is not"),
        (DistanceLinkage(ties="miss"), "distance_linkage: ties=miss is not"),
        (DistanceLinkage(subsets=2), "distance_linkage: subsets is not"),
        (DisclosureRisk(linkage="both"), "disclosure_risk: linkage=both is not"),
        (
            Balance(risk="probabilistic_linkage"),
            "balance: probabilistic_linkage=probabilistic_linkage is not",
        ),
        (LDiversity(sensitive=("age",)), "l_diversity: a sensitive attribute that is also a key is not"),
        (TCloseness(sensitive=("age",)), "t_closeness: a sensitive attribute that is also a key is not"),
        (Sse(attributes=("sex",)), "sse: column sex is nominal"),
    ],
    ids=repr,
)
def test_what_is_not_done_is_refused_in_a_sentence(survey, tmp_path, measure, message):
    with pytest.raises(DataError, match=f"^{message}"):
        judged(*survey, tmp_path, size=400, measures=[measure])


def test_files_that_do_not_belong_together_are_refused(survey, tmp_path):
    original, masked = survey
    other = Attribute(name="age", scale="nominal", role="key", categories=("a",))
    wrong = {
        "fewer": masked.take(np.arange(500)),
        "column": masked.select([name for name in masked.names if name != "age"]),
        "scale": Table(
            masked.schema.replace([other]),
            {name: masked[name] if name != "age" else np.zeros(masked.n, np.int8) for name in masked.names},
        ),
    }
    sentences = {"fewer": "Got 500 records", "column": "has no column age", "scale": "column age is numeric"}
    for name, table in wrong.items():
        with pytest.raises(DataError, match=sentences[name]):
            judged(original, table, tmp_path / name, size=500, measures=[Sse()])
    a, b = blocks_of(original, tmp_path / "a", 500), blocks_of(masked, tmp_path / "b", 400)
    with crew(None) as here, pytest.raises(DataError, match="cut into the same blocks"):
        score_blocks(a, b, folder=tmp_path, crew=here)


def test_weights_that_cannot_be_used_are_refused(survey, tmp_path):
    original, masked = survey
    negative = original.replace({"weight": np.where(np.arange(original.n) == 800, -1.0, original["weight"])})
    none = original.replace({"weight": np.zeros(original.n)})
    unweighted = original.with_schema(
        original.schema.replace([original.schema["weight"].evolve(role="other")])
    )
    sentences = [
        "weights must be present",
        "weights must be present",
        "^sse: weighted needs an attribute with the role weight",
    ]
    for name, (table, sentence) in enumerate(zip([negative, none, unweighted], sentences, strict=True)):
        with pytest.raises(DataError, match=sentence):
            judged(table, masked, tmp_path / str(name), size=500, measures=[Sse(weighted=True)])


def test_a_measure_says_whether_it_is_for_files_from_disk():
    assert Sse().joinable
    assert not Clustering().joinable


def test_measures_left_out_are_named_and_a_sample_of_nobody_is_refused(survey, tmp_path):
    notes = []

    class Listener:
        def started(self, task): ...
        def advanced(self, task): ...
        def finished(self, task): ...
        def noted(self, message):
            notes.append(message)

    original, masked = (table.select(["age", "sex"]) for table in survey)
    with progress.listening(Listener()):
        scores = judged(original, masked, tmp_path, size=500)
    assert "l_diversity" not in scores
    assert len(notes) == 1
    assert "l_diversity" in notes[0]
    with pytest.raises(ParameterError, match="sample must be"):
        judged(original, masked, tmp_path, size=500, sample=0)
