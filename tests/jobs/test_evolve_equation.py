"""An equation evolved, judged beside the usual matrices, saved, and used on other data."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sfumato import evolve_equation
from sfumato.core import DataError, ParameterError, stream
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import household_survey
from sfumato.jobs._pram import Guess
from sfumato.jobs.evolve_equation import baseline, equations_of
from sfumato.masking import Pram
from sfumato.masking.matrices.equations import Equation
from sfumato.masking.matrices.markov_matrices import frequencies, redraw
from sfumato.reproductions._by_hand import matrix_by_hand
from sfumato.search.matrices import links as matrix_links

NAMES = ("region", "education")


@pytest.fixture(scope="module")
def survey():
    return household_survey(300, seed=1)


@pytest.fixture(scope="module")
def found(survey):
    return evolve_equation(survey, attributes=NAMES, generations=120, population=40, fresh=5, seed=1)


def test_the_printed_formula_evaluated_by_hand_gives_the_matrices_used(survey, found):
    assert Equation.parse(found.formula) == found.equation
    for name in NAMES:
        np.testing.assert_allclose(
            found.matrices[name], matrix_by_hand(found.formula, survey, name), atol=1e-12
        )


def test_loss_and_risk_are_those_of_fresh_files(survey, found):
    problem = equations_of(survey, NAMES, score="max", expected=True, draws=5, seed=1)
    assert (found.loss, found.risk) == problem.fresh(found.matrices, 5)
    assert found.score == max(found.loss, found.risk)
    assert found.run.score == pytest.approx(found.score, abs=3)


def test_usual_matrices_have_their_best_p_and_are_judged_alike(survey, found):
    problem = equations_of(survey, NAMES, score="max", expected=True, draws=5, seed=1)
    assert [one.matrix for one in found.baselines] == ["frequency", "diagonal", "uniform"]
    for one in found.baselines:
        usual = {
            p: Pram(matrix=one.matrix, attributes=NAMES, **{one.parameter: p}).matrices(survey)
            for p in (0.1, 0.5, 0.9, one.p)
        }
        costs = {p: max(problem.files.expectations(matrices)) for p, matrices in usual.items()}
        assert costs[one.p] == min(costs.values())
        assert (one.loss, one.risk) == problem.fresh(usual[one.p], 5)
        assert one.score == max(one.loss, one.risk)
    assert found.beats == (found.score < min(one.score for one in found.baselines))


@pytest.mark.parametrize(("kind", "parameter"), [("frequency", "p"), ("diagonal", "theta"), ("uniform", "p")])
def test_the_best_p_is_found_by_tenths_and_then_by_every_second_hundredth_around(survey, kind, parameter):
    problem = equations_of(survey, NAMES)

    def cost(hundredths):
        pram = Pram(matrix=kind, attributes=NAMES, **{parameter: hundredths / 100})
        return max(problem.files.expectations(pram.matrices(survey)))

    near = min(range(0, 101, 10), key=cost)
    fine = [near + step for step in (-8, -6, -4, -2, 0, 2, 4, 6, 8) if 0 <= near + step <= 100]
    assert baseline(problem, kind, 1).p == min(fine, key=cost) / 100


def test_a_saved_equation_masks_this_file_and_others(tmp_path, survey, found):
    found.save(tmp_path / "equation.json")
    held = json.loads((tmp_path / "equation.json").read_text())
    assert held["equation"] == found.formula
    assert held["about"]["attributes"] == list(NAMES) and "seed" not in held["about"]
    pram = Pram(matrix=str(tmp_path / "equation.json"), attributes=NAMES)
    for name, P in pram.matrices(survey).items():
        np.testing.assert_array_equal(P, found.matrices[name])
    other = household_survey(150, seed=9)
    masked = pram.apply(other, stream(0, "x"))
    assert masked.n == 150 and masked.names == other.names
    for name, P in pram.matrices(other).items():
        counts = frequencies(other[name], other.schema[name].domain_size)
        np.testing.assert_array_equal(P, found.equation.matrix(counts))


def test_the_result_becomes_a_record_a_frame_and_a_plot(found):
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["equation"] == found.formula
    assert record["matrices"]["region"]["rows"] == found.matrices["region"].tolist()
    assert record["generations"] == 120 and len(record["history"]) == 121
    assert found.to_frame()["matrix"].to_pylist() == ["equation", "frequency", "diagonal", "uniform"]
    assert found.plot().axes


def test_the_same_seed_gives_the_same_equation(survey, found):
    again = evolve_equation(survey, attributes=NAMES, generations=120, population=40, fresh=5, seed=1)
    assert {**again.to_dict(), "seconds": 0, "history": 0} == {**found.to_dict(), "seconds": 0, "history": 0}


def test_an_optimiser_takes_the_place_of_population_and_depth(survey):
    options = {"attributes": NAMES, "generations": 20, "fresh": 2}
    printed = evolve_equation(survey, optimizer="genetic_programming(population=10, depth=3)", **options)
    usual = evolve_equation(survey, population=10, depth=3, **options)
    assert printed.formula == usual.formula and printed.run.optimizer == usual.run.optimizer


def test_the_mean_is_another_score(survey):
    found = evolve_equation(survey, attributes=NAMES, score="mean", generations=5, population=10, fresh=2)
    assert found.score == (found.loss + found.risk) / 2


def test_drawn_files_can_judge_and_the_keys_are_the_default(survey):
    names = Pram().targets(survey)[:2]
    keys = survey.with_schema(
        survey.schema.with_roles(
            {name: "other" for name in survey.schema.with_role("key") if name not in names}
        )
    )
    found = evolve_equation(keys, generations=3, population=6, draws=2, fresh=2)
    assert found.attributes == names
    assert found.run.problem["fitness"]["draws"] == 2 and not found.run.problem["fitness"]["expected"]


def test_large_domains_are_judged_by_drawn_files(survey, monkeypatch):
    monkeypatch.setattr(matrix_links, "LARGEST_SPACE", 2)
    problem = equations_of(survey, NAMES, score="max", expected=True, draws=3, seed=0)
    assert not problem.files.is_expected and problem.files.draws == 3


def test_guesses_are_those_of_whoever_knows_the_matrices(survey, found):
    rng = np.random.default_rng(0)
    for name in NAMES:
        codes = survey[name][survey[name] >= 0]
        counts = frequencies(codes, survey.schema[name].domain_size)
        likeliest = (counts[:, None] * found.matrices[name]).argmax(axis=0)
        codes = np.repeat(codes, 200)
        masked = redraw(codes, found.matrices[name], rng)
        assert 100 * (likeliest[masked] == codes).mean() == pytest.approx(found.guesses[name].right, abs=1)
        assert found.guesses[name].blind == pytest.approx(100 * np.bincount(codes).max() / len(codes))


def test_what_may_be_guessed_can_be_limited(survey):
    options = {"attributes": NAMES, "generations": 80, "population": 40, "fresh": 2}
    free = evolve_equation(survey, **options)
    limit = (free.guessed + sum(guess.blind for guess in free.guesses.values()) / len(NAMES)) / 2
    held = evolve_equation(survey, most_guessed=limit, **options)
    assert held.guessed <= limit + 1 < free.guessed
    assert held.run.score >= max(held.loss, held.risk) - 3


def test_a_warning_tells_what_the_matrix_does_not_hide(found):
    guesses = {"region": Guess(right=99.0, blind=30.0), "education": Guess(right=60.0, blind=40.0)}
    (warning,) = replace(found, guesses=guesses).warnings
    assert "guesses 99 % of region right (30 % without the release)" in warning
    assert replace(found, guesses=guesses).guessed == 79.5
    told_anyway = {"region": Guess(right=99.0, blind=99.0)}  # the release adds nothing
    assert replace(found, guesses=told_anyway).warnings == ()


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"score": "best"}, ParameterError, "score must be one of max, mean. Got 'best'"),
        ({"most_guessed": 101}, ParameterError, "most_guessed must be a number from 0 to 100"),
        ({"fresh": 0}, ParameterError, "fresh must be an integer of at least 1"),
        ({"population": 1}, ParameterError, "population must be an integer of at least 2"),
        ({"depth": 0}, ParameterError, "depth must be an integer from 1 to 10"),
        ({"generations": 0}, ParameterError, "generations must be an integer of at least 1"),
        ({"optimizer": "gomm"}, ParameterError, "optimizer must be one of genetic_programming. Got 'gomm'"),
        (
            {"optimizer": "genetic_programming", "depth": 5},
            ParameterError,
            "optimizer takes the place of depth: give one or the other",
        ),
        ({"attributes": ["age"]}, DataError, "column age is numeric"),
        ({"attributes": ["region", "region"]}, DataError, "named twice"),
    ],
)
def test_what_cannot_be_done_is_refused(survey, given, error, says):
    with pytest.raises(error, match=says):
        evolve_equation(survey, **{"attributes": NAMES, "generations": 2, **given})


def test_an_empty_table_is_refused():
    sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    with pytest.raises(DataError, match="no record"):
        evolve_equation(Table(Schema([sex]), {"sex": np.array([], int)}))
