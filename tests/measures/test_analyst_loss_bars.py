"""What analyst loss promises, on the classic files and with a judge of its own."""

import time

import numpy as np
import pytest
from scipy.stats import spearmanr

from sfumato import datasets
from sfumato.core import registry, stream
from sfumato.data.held_out import held_out
from sfumato.measures import Change
from sfumato.measures.analyst_loss import AnalystLoss

FILES = ("census", "tarragona", "diabetes", "german", "adult", "eia")
MASKINGS = (
    "mdav(k=3)",
    "mdav(k=10)",
    "mdav(k=50)",
    "individual_ranking(k=10)",
    "individual_ranking(k=50)",
    "noise(alpha=0.05)",
    "noise(alpha=0.3)",
    "noise(alpha=0.3, kind=uncorrelated)",
    "rank_swapping(p=5)",
    "rank_swapping(p=20)",
    "rank_swapping(p=40)",
    "shuffling",
    "rounding",
    "resampling",
    "mondrian(k=20)",
)
slow = pytest.mark.slow


def classic(name):
    if not datasets.available(name):
        pytest.skip("the classic file is not here")
    table = datasets.load(name)
    return (
        table.take(np.random.default_rng(0).choice(table.n, 5000, replace=False)) if table.n > 5000 else table
    )


@slow
@pytest.mark.parametrize("name", FILES)
def test_a_bootstrap_is_0_and_unrelated_columns_are_100(name):
    inside, outside = held_out(classic(name), 1)
    bound = AnalystLoss().bind(inside, outside)
    assert bound.score(inside).value == 0
    for seed in range(100, 103):
        rows = np.random.default_rng(seed).integers(0, inside.n, inside.n)
        assert bound.score(inside.take(rows)).value <= 2
    for seed in (200, 201):
        rng = np.random.default_rng(seed)
        unrelated = inside.replace({n: inside[n][rng.permutation(inside.n)] for n in bound.names})
        assert bound.score(unrelated).value >= 98


def test_diabetics_whose_glucose_was_turned_round():
    inside, outside = held_out(classic("diabetes"), 1)
    glucose, is_ill = inside["GLUCOSE"], inside["CLASS"] == 1
    turned = glucose.copy()  # of the same rank among the others
    for here, there in ((is_ill, ~is_ill), (~is_ill, is_ill)):
        ranks = (glucose[here].argsort(kind="stable").argsort() + 0.5) / np.count_nonzero(here)
        turned[here] = np.quantile(glucose[there], ranks)
    assert turned[is_ill].mean() < turned[~is_ill].mean() - 20
    score = AnalystLoss().bind(inside, outside).score(inside.replace({"GLUCOSE": turned}))
    assert score.value > 30
    assert score.parts["GLUCOSE × CLASS"] == 100


@slow
@pytest.mark.parametrize("name", ["diabetes", "census"])
def test_it_ranks_maskings_as_models_on_people_outside_do(name):
    inside, outside = held_out(classic(name), 1)
    bound, best = AnalystLoss().bind(inside, outside), quality(inside, outside, inside)
    losses, worse = [], []
    for text in MASKINGS:
        masked = registry.make("masking", text).apply(inside, stream(5, "masking", text))
        losses.append(bound.score(masked).value)
        worse.append(best - quality(masked, outside, inside))
    assert spearmanr(losses, worse)[0] >= 0.85


def quality(release, outside, original):
    """The mean share of each column that forests and linear models trained on a release explain of people outside."""
    shares = []
    for target in release.names:
        others = [name for name in release.names if name != target]
        X, tried = (np.column_stack([table[n] for n in others]).astype(float) for table in (release, outside))
        y, truth = (values_of(table, target, original) for table in (release, outside))
        guessed = guesses(X, y, tried, release.schema[target].is_numeric)
        shares += [max(0.0, 1 - np.mean((guess - truth) ** 2) / np.var(truth)) for guess in guessed]
    return np.mean(shares)


def values_of(table, name, original):
    """Ranks of numbers, so that no single large value decides; a category of two is a number already."""
    if table.schema[name].is_numeric:
        return np.searchsorted(np.sort(original[name]), table[name]) / original.n
    return table[name].astype(float)


def guesses(X, y, tried, is_number):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    settings = {"n_estimators": 60, "min_samples_leaf": 3, "random_state": 0}
    if is_number:
        models = RandomForestRegressor(**settings), LinearRegression()
        return [make_pipeline(StandardScaler(), m).fit(X, y).predict(tried).clip(0, 1) for m in models]
    models = RandomForestClassifier(**settings), LogisticRegression()
    return [make_pipeline(StandardScaler(), m).fit(X, y).predict_proba(tried)[:, 1] for m in models]


@slow
def test_a_step_of_the_tracker_is_a_two_hundredth_of_an_evaluation():
    original, rng = classic("census"), np.random.default_rng(0)
    masked = original.replace({n: original[n] * rng.normal(1, 0.05, original.n) for n in original.names})
    bound = AnalystLoss(parts="tables").bind(original)
    bound.score(masked)
    start = time.process_time()
    for _ in range(20):
        bound.score(masked)
    whole = (time.process_time() - start) / 20
    tracker = bound.track(masked)
    names, rows = rng.choice(original.names, 2000), rng.integers(0, original.n, 2000)
    changes = [Change.cell(r, n, rng.choice(original[n])) for r, n in zip(rows, names, strict=True)]
    tracker.try_(changes[0])
    start = time.process_time()
    for change in changes:
        tracker.try_(change)
        tracker.accept()
    assert (time.process_time() - start) / len(changes) <= whole / 200


@slow
def test_what_it_costs():
    rng = np.random.default_rng(0)
    for n, columns, seconds in ((5000, 9, 12), (1_000_000, 12, 90)):
        table = datasets.household_survey(round(1.25 * n), seed=1)
        table = table.select(
            [a.name for a in table.schema if a.role not in ("identifier", "household")][:columns]
        )
        inside, outside = held_out(table, 1)
        first = inside.names[0]
        masked = inside.replace({first: inside[first][rng.permutation(inside.n)]})
        start = time.process_time()
        AnalystLoss().bind(inside, outside).score(masked)
        assert time.process_time() - start <= seconds
