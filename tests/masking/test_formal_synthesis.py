import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, Key, MissingExtraError, ParameterError, SfumatoError, stream
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import load
from sfumato.datasets.arena import extract
from sfumato.kernels.exact_noise import exponential_choice, fill_with_noise
from sfumato.kernels.random_draws import state_from
from sfumato.kernels.table_fitting import change, change_cost, distances
from sfumato.masking import CalibratedSynthesis
from sfumato.masking._contract import masked_with
from sfumato.masking.synthesis import privacy_budget
from sfumato.masking.synthesis.formal_questions import Candidates, FormalQuestions
from sfumato.masking.synthesis.formal_records import Answer, Draft, formal_table, shrunk
from sfumato.masking.synthesis.noised_margins import groups_of, margin, nearest_shares, without_noise
from sfumato.masking.synthesis.public_cells import PublicCells
from sfumato.measures.analyst_loss import AnalystLoss
from sfumato.reproductions._arena_features import FEATURE_SETS
from sfumato.reproductions._arena_yardsticks import arena_scores

pytest.importorskip("opendp", reason="the extra formal is not installed")

SCHEMA = Schema(
    [
        Attribute(name="age", scale="numeric", low=0, high=99, decimals=0, storage="integer"),
        Attribute(name="pay", scale="numeric", low=-5000, high=500_000, decimals=0, missing=("-8", "-9")),
        Attribute(name="sex", scale="nominal", categories=("f", "m")),
        Attribute(name="school", scale="ordinal", categories=("none", "some", "much"), missing=("9",)),
    ]
)


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(16, 90, n), rng.integers(0, 2, n)
    school = np.clip(rng.integers(0, 3, n) + sex - 1, 0, 2)
    pay = np.rint(rng.lognormal(9.5 + 0.4 * school, 0.6, n).clip(0, 400_000))
    away = rng.random(n) < 0.2
    return Table(
        SCHEMA,
        {"age": age, "pay": np.where(away, np.nan, pay), "sex": sex, "school": school},
        reasons={"pay": np.where(away, 2, 0)},
    )


def cells_of(schema=SCHEMA):
    return [PublicCells.of(attribute) for attribute in schema]


def questions_for(table, rho=0.1, seed=0):
    return FormalQuestions(table, cells_of(table.schema), rho=rho, rng=np.random.default_rng(seed))


def noise(sigma, size, seed=0):
    """From the table of nobody, whose counts are all 0."""
    nobody = Table(SCHEMA, {"age": [], "pay": [], "sex": [], "school": []})
    return questions_for(nobody, rho=10.0, seed=seed).counts(0, size, sigma)


CODES = [
    np.column_stack([one.codes(table) for one in cells_of()]).astype(np.int32)
    for table in (people(40), people(40, seed=1))
]


class Poisoned(Table):
    """A table that may be read until it is armed."""

    armed = False

    def __getitem__(self, name):
        assert not self.armed, "the original was read"
        return super().__getitem__(name)

    def reasons(self, name):
        assert not self.armed, "the original was read"
        return super().reasons(name)


def chi_squared(observed, expected):
    return float(np.sum((observed - expected) ** 2 / expected)), len(observed) - 1


# The noise


@pytest.mark.parametrize("sigma", [1, 2, 7])
def test_noise_is_that_of_the_discrete_gaussian(sigma):
    drawn = noise(sigma, 100_000)
    z = np.arange(-3 * sigma, 3 * sigma + 1)
    shares = np.exp(-(z**2) / (2.0 * sigma**2))
    shares /= np.exp(-(np.arange(-20 * sigma, 20 * sigma + 1) ** 2) / (2.0 * sigma**2)).sum()
    found, freedom = chi_squared(np.array([(drawn == one).sum() for one in z]), 100_000 * shares)
    assert found < freedom + 5 * np.sqrt(2 * freedom)


def test_noise_is_distributed_as_that_of_opendp():
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    privacy_budget.counts_cost(5)  # which lets OpenDP be used
    theirs = make_gaussian(vector_domain(atom_domain(T=int)), l2_distance(T=float), scale=5.0)([0] * 20_000)
    ours = noise(5, 20_000)
    one, other = (
        np.bincount(np.clip(drawn, -12, 12) + 12, minlength=25) for drawn in (ours, np.array(theirs))
    )
    found = float(np.sum((one - other) ** 2 / (one + other)))
    assert found < 24 + 6 * np.sqrt(48)  # their draws differ each time: six standard deviations


def test_noise_hangs_on_the_generator_and_on_nothing_else():
    assert noise(9, 500, seed=3).tolist() == noise(9, 500, seed=3).tolist()
    assert noise(9, 500, seed=3).tolist() != noise(9, 500, seed=4).tolist()


def slow_gaussian(sigma, words):
    """Canonne, Kamath & Steinke (2020), algorithms 1 to 3, in fractions."""

    def below(n):
        while True:
            word = next(words)
            if word >= 2**64 % n:
                return (word - 2**64 % n) % n

    def bernoulli(gamma):
        while gamma > 1:
            if not bernoulli(Fraction(1)):
                return False
            gamma -= 1
        k = 1
        while below(gamma.denominator * k) < gamma.numerator:
            k += 1
        return k % 2 == 1

    while True:
        u = below(sigma)
        # the kernel does not reduce its fractions, so neither may the twin
        if not bernoulli(Unreduced(u, sigma)):
            continue
        v = 0
        while bernoulli(Fraction(1)):
            v += 1
        size, negative = u + sigma * v, below(2) == 1
        if negative and size == 0:
            continue
        if bernoulli(Unreduced((size - sigma) ** 2, 2 * sigma**2)):
            return -size if negative else size


class Unreduced:
    def __init__(self, numerator, denominator):
        self.numerator, self.denominator = numerator, denominator

    def __gt__(self, one):
        return self.numerator > self.denominator

    def __sub__(self, one):
        return Unreduced(self.numerator - self.denominator, self.denominator)


@given(st.integers(1, 2000), st.integers(0, 99))
def test_noise_is_that_of_a_slow_twin(sigma, seed):
    bits = np.random.default_rng(seed).integers(0, 2**64, 4000, dtype=np.uint64)
    words = iter(bits.tolist())
    drawn = np.zeros(20, np.int64)
    assert fill_with_noise(drawn, 0, sigma, bits, np.zeros(1, np.int64)) == 20
    assert drawn.tolist() == [slow_gaussian(sigma, words) for _ in range(20)]


@given(st.integers(0, 99), st.integers(1, 60))
def test_noise_is_the_same_however_its_bits_come(seed, portion):
    bits = np.random.default_rng(seed).integers(0, 2**64, 3000, dtype=np.uint64)
    whole, parts, used, done, end = (
        np.zeros(30, np.int64),
        np.zeros(30, np.int64),
        np.zeros(1, np.int64),
        0,
        0,
    )
    fill_with_noise(whole, 0, 11, bits, np.zeros(1, np.int64))
    while done < 30:
        end += portion
        done = fill_with_noise(parts, done, 11, bits[:end], used)
    assert parts.tolist() == whole.tolist()


def test_choices_are_those_of_the_exponential_mechanism():
    behind, rng = np.array([0, 3, 8, 40]), np.random.default_rng(0)
    picks = [
        exponential_choice(behind, 4, rng.integers(0, 2**64, 300, dtype=np.uint64)) for _ in range(20_000)
    ]
    shares = np.exp(-behind / 4.0)
    found, freedom = chi_squared(np.bincount(picks, minlength=4), 20_000 * shares / shares.sum())
    assert found < freedom + 5 * np.sqrt(2 * freedom)
    assert exponential_choice(behind, 4, np.zeros(0, np.uint64)) == -1


# The accounting


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-6), (1.0, 1e-9), (8.0, 1e-5)])
def test_budget_lies_between_a_simple_conversion_and_the_exact_loss_of_one_gaussian(epsilon, delta):
    from scipy.stats import norm

    rho = privacy_budget.total_rho(epsilon, delta)
    simple = (np.sqrt(np.log(1 / delta) + epsilon) - np.sqrt(np.log(1 / delta))) ** 2  # Bun & Steinke (2016)
    shift = np.sqrt(2 * rho)  # of a Gaussian with this ρ; Balle & Wang (2018), theorem 8
    exact = norm.cdf(shift / 2 - epsilon / shift) - np.exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)
    assert rho > simple
    assert exact <= delta


@pytest.mark.parametrize("sigma", [1, 10, 137])
def test_costs_are_those_of_replacing_a_record(sigma):
    assert privacy_budget.counts_cost(sigma) == pytest.approx(2 / (2 * sigma**2))
    assert privacy_budget.choice_cost(sigma) == pytest.approx((4 / sigma) ** 2 / 8)
    assert privacy_budget.sigma_within(privacy_budget.counts_cost(sigma)) == sigma
    assert privacy_budget.scale_within(privacy_budget.choice_cost(sigma)) == sigma


def test_noised_counts_of_neighbours_keep_the_accounted_divergence():
    # two originals that differ in one record: Rényi divergences of all their answers, exactly, are at most αρ
    sigma = 4
    z = np.arange(-400, 401)
    total = np.exp(-(z**2) / (2.0 * sigma**2)).sum()
    for alpha in (1.5, 2, 5, 20):
        powers = (alpha * z**2 + (1 - alpha) * (z - 1) ** 2) / (2.0 * sigma**2)
        divergence = np.log(np.exp(-powers).sum() / total) / (alpha - 1)
        # the record leaves one cell and enters another, so two counts differ by one
        assert 2 * divergence <= alpha * privacy_budget.counts_cost(sigma) * (1 + 1e-9)


def test_likelihoods_of_neighbours_answers_keep_the_promise():
    # Monte Carlo on real answers: how often the loss exceeds ε is at most δ, for the (ε, δ) of the accounted ρ
    one = people(40)
    other = Table(
        SCHEMA, {**{n: one[n] for n in one.names}, "sex": np.append(1 - one["sex"][:1], one["sex"][1:])}
    )
    sigma, size = 2, PublicCells.of(SCHEMA["sex"]).size
    counts = [np.bincount(cells_of()[2].codes(t), minlength=size) for t in (one, other)]
    assert np.abs(counts[0] - counts[1]).sum() == 2
    rho = privacy_budget.counts_cost(sigma)
    delta = 0.05
    epsilon = rho + 2 * np.sqrt(rho * np.log(1 / delta))
    questions = questions_for(one, rho=1e9)
    answers = np.array([questions.counts(2, size, sigma) for _ in range(1500)])
    losses = ((answers - counts[1]) ** 2 - (answers - counts[0]) ** 2).sum(axis=1) / (2 * sigma**2)
    assert losses.mean() == pytest.approx(rho, abs=5 * losses.std() / np.sqrt(1500))
    assert np.mean(losses > epsilon) <= delta


@given(st.integers(0, 39), st.integers(0, 10_000))
def test_scores_of_neighbours_differ_by_two_at_most(row, seed):
    rng, rows = np.random.default_rng(seed), CODES
    neighbour, synthetic = rows[0].copy(), rows[0][rng.permutation(40)]
    neighbour[row] = rows[1][rng.integers(40)]
    sizes = np.array([one.size for one in cells_of()])
    tables = Candidates.of([(0,), (0, 2), (1, 3), (0, 2, 3)], sizes)
    scores = [
        distances(r, synthetic, tables.columns, tables.steps, tables.cells) for r in (rows[0], neighbour)
    ]
    assert np.abs(scores[0] - scores[1]).max() <= privacy_budget.MOVED


def test_questions_beyond_the_budget_are_refused():
    questions = questions_for(people(100), rho=2.5 * privacy_budget.counts_cost(10))
    questions.counts(0, 102, 10)
    questions.counts(1, 300, 10)
    with pytest.raises(SfumatoError, match="budget is spent"):
        questions.counts(2, 3, 10)
    assert questions.answers == 2
    assert questions.spent == pytest.approx(0.02)


def test_too_strict_a_promise_is_refused():
    with pytest.raises(ParameterError, match="too strict"):
        privacy_budget.sigma_within(1e-16)


# What is read


def test_nothing_but_answers_is_read():
    table = people(300)
    original = Poisoned(
        table.schema, {n: table[n] for n in table.names}, reasons={"pay": table.reasons("pay")}
    )
    questions = questions_for(original)
    original.armed = True
    with pytest.raises(AssertionError, match="was read"):
        original["age"]
    new = formal_table(original.schema, original.n, cells_of(), questions, np.random.default_rng(1))
    assert new.n == 300
    assert 0.95 * questions.rho < questions.spent <= questions.rho
    assert questions.answers == 4 + 2 * 16  # margins, then a choice and a table in each round


def test_records_hang_on_answers_alone():
    class Deaf(FormalQuestions):
        """Answers that are all noise: whoever is in the original, the file is the same."""

        def __init__(self, table, cells, **rest):
            super().__init__(table.take(np.zeros(table.n, np.int64)), cells, **rest)
            self._records[:] = 0

    files = []
    for seed in (0, 1):
        questions = Deaf(people(200, seed), cells_of(), rho=0.1, rng=np.random.default_rng(5))
        files.append(formal_table(SCHEMA, 200, cells_of(), questions, np.random.default_rng(6)))
    assert files[0].digest == files[1].digest


# The file


def test_one_key_fixes_the_file_and_another_changes_it():
    masking, table = CalibratedSynthesis(epsilon=1.0), people(400)
    one, again, other = (masked_with(masking, table, seed=Key(key * 32)) for key in (b"0", b"0", b"1"))
    assert one.digest == again.digest != other.digest


def test_values_are_legal_and_missing_codes_are_values():
    new = CalibratedSynthesis(epsilon=5.0).apply(people(5000), np.random.default_rng(0))
    assert new.n == 5000
    pay = new["pay"][~new.missing("pay")]
    assert (pay == np.rint(pay)).all() and pay.min() >= -5000 and pay.max() <= 500_000
    assert not np.isin(pay, [-8, -9]).any()
    assert (new.reasons("pay") == 2).mean() == pytest.approx(0.2, abs=0.03)
    assert not new.missing("age").any() and not new.missing("sex").any()


def test_relations_come_near_those_of_the_original_as_epsilon_grows():
    table = people(8000)
    gaps = []
    for epsilon in (0.05, 1.0, 20.0):
        new = CalibratedSynthesis(epsilon=epsilon).apply(table, np.random.default_rng(0))
        tables = [
            np.bincount(3 * cells_of()[2].codes(t) + t["school"], minlength=12) / t.n for t in (table, new)
        ]
        gaps.append(np.abs(tables[0] - tables[1]).sum() / 2)
    assert gaps[2] < 0.005 < gaps[0]
    assert gaps[1] < 0.03


def test_one_column_and_one_record_are_files_too():
    alone = people(50).select(["sex"])
    assert CalibratedSynthesis(epsilon=1.0).apply(alone, np.random.default_rng(0)).n == 50
    assert CalibratedSynthesis(epsilon=1.0).apply(people(1), np.random.default_rng(0)).n == 1
    nothing = Table(
        Schema([Attribute(name="x", scale="nominal"), *SCHEMA.select(["sex"])]), {"x": [-1], "sex": [0]}
    )
    assert CalibratedSynthesis(epsilon=1.0).apply(nothing, np.random.default_rng(0))["x"].tolist() == [-1]


def test_a_number_without_bounds_is_refused():
    table = Table(Schema([Attribute(name="x", scale="numeric", low=0)]), {"x": [1.0, 2.0]})
    with pytest.raises(DataError, match="declare low and high of column x"):
        CalibratedSynthesis(epsilon=1.0).apply(table, np.random.default_rng(0))


def test_a_column_that_would_stay_is_refused():
    with pytest.raises(DataError, match="column pay would stay"):
        CalibratedSynthesis(epsilon=1.0, attributes=("age", "sex")).apply(
            people(20), np.random.default_rng(0)
        )


def test_the_promise_is_told_in_words():
    assert CalibratedSynthesis().promise is None
    promise = CalibratedSynthesis(epsilon=0.5, delta=1e-7).promise
    told = str(promise)
    assert "ε = 0.5, δ = 1e-07" in told and "differ in one" in told and "zCDP" in told


def test_a_missing_package_is_named(monkeypatch):
    privacy_budget._opendp.cache_clear()
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(MissingExtraError, match=r"sfumato\[formal\]"):
        CalibratedSynthesis(epsilon=1.0).apply(people(20), stream(0, "x"))
    monkeypatch.undo()
    privacy_budget._opendp.cache_clear()


# Fitting


def draft_of(records, answers):
    return Draft(records.copy(), records.max(axis=0) + 1, list(answers), state_from(7))


def slow_cost(records, answers, sizes):
    total = 0.0
    for one in answers:
        at = np.ravel_multi_index([records[:, j] for j in one.columns], [sizes[j] for j in one.columns])
        total += np.sum((np.bincount(at, minlength=len(one.counts)) - one.counts) ** 2) / one.sigma**2
    return total


def some_records_and_answers(seed):
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 3, (60, 3)).astype(np.int32)
    records[:3] = np.arange(3)[:, None]  # each value occurs
    columns = [(0,), (1,), (2,), (0, 1), (0, 1, 2)]
    return records, [Answer(one, rng.integers(0, 30, 3 ** len(one)), 1.0 + len(one)) for one in columns]


@given(st.integers(0, 10_000), st.integers(0, 59), st.integers(0, 2), st.integers(0, 2))
def test_costs_of_changes_are_those_of_a_slow_twin(seed, a, j, value):
    records, answers = some_records_and_answers(seed)
    draft = draft_of(records, answers)
    measured, before = draft._measured(), slow_cost(records, answers, draft.sizes)
    if value == records[a, j]:
        return
    told = change_cost(draft.records, measured, a, j, value)
    change(draft.records, measured, a, j, value)
    assert draft.records[a, j] == value
    assert slow_cost(draft.records, answers, draft.sizes) - before == pytest.approx(told)
    np.testing.assert_array_equal(measured.cells, draft._measured().cells)
    np.testing.assert_allclose(measured.gap, draft._measured().gap)


@given(st.integers(0, 10_000))
def test_fitting_lowers_the_cost_and_reaches_a_table_that_can_be_reached(seed):
    records, answers = some_records_and_answers(seed)
    draft = draft_of(records, answers)
    draft.fit(5)
    assert slow_cost(draft.records, answers, draft.sizes) < slow_cost(records, answers, draft.sizes)
    goal = np.random.default_rng(seed + 1).integers(0, 9, 60)
    table = Answer((0, 1), np.bincount(goal, minlength=9), 1.0)
    margins = [
        Answer((0,), table.counts.reshape(3, 3).sum(axis=1), 3.0),
        Answer((1,), table.counts.reshape(3, 3).sum(axis=0), 3.0),
    ]
    draft = draft_of(records[:, :2], [*margins, table])
    draft.fit(200)
    assert slow_cost(draft.records, [table], draft.sizes) == 0


def test_two_answers_of_one_table_are_one():
    records, answers = some_records_and_answers(0)
    draft = draft_of(records, answers)
    draft.add(Answer((0, 1), np.full(9, 10.0), 4.0))
    joined = draft.answers[-1]
    assert len(draft.answers) == len(answers)
    assert joined.sigma**-2 == pytest.approx(3.0**-2 + 4.0**-2)
    expected = (answers[3].counts / 9 + 10.0 / 16) / (1 / 9 + 1 / 16)
    np.testing.assert_allclose(joined.counts, expected)


@given(st.integers(0, 10_000))
def test_distances_of_tables_are_those_of_a_slow_twin(seed):
    rng = np.random.default_rng(seed)
    one, other = (rng.integers(0, 4, (30, 4)).astype(np.int32) for _ in range(2))
    chosen = [(0, 1), (1, 3), (0, 2, 3)]
    tables = Candidates.of(chosen, np.full(4, 4))
    found = distances(one, other, tables.columns, tables.steps, tables.cells)
    for columns, told in zip(chosen, found, strict=True):
        counts = [Counter(map(tuple, records[:, columns])) for records in (one, other)]
        assert told == sum(abs(counts[0][cell] - counts[1][cell]) for cell in counts[0] | counts[1])


# The public arena


@pytest.mark.slow
@pytest.mark.classic("massachusetts")
@pytest.mark.parametrize(
    ("features", "published"),
    [
        ("industry", 899),
        ("demographic_without_deye", 913),
        ("family_with_deye", 858),
        ("simple", 861),
        ("all", 773),
    ],
)
def test_tables_are_nearer_than_those_of_the_best_published_at_epsilon_one(features, published):
    names = FEATURE_SETS[features].features
    original = extract("ma2019").select(names)
    released = CalibratedSynthesis(epsilon=1.0).apply(original, np.random.default_rng(0))
    assert arena_scores(original, released, names).k_marginal > published


@pytest.mark.slow
@pytest.mark.classic("adult")
def test_analysts_of_whole_adult_lose_at_most_twelve_more_than_by_another_sample():
    """Of the nine columns that comparisons of k-anonymity use; with hours of work for the country one key of two misses it."""
    names = [
        "SEX",
        "AGE",
        "RACE",
        "MARITAL-STATUS",
        "EDUCATION",
        "NATIVE-COUNTRY",
        "WORKCLASS",
        "OCCUPATION",
        "INCOME",
    ]
    table = load("adult").select(names)
    original = table.take(np.flatnonzero(~np.any([table.missing(name) for name in names], axis=0)))
    loss = AnalystLoss().bind(original)
    released = CalibratedSynthesis(epsilon=1.0, delta=1e-6).apply(original, np.random.default_rng(0))
    again = original.take(np.random.default_rng(0).integers(0, original.n, original.n))
    assert loss.score(released).value <= loss.score(again).value + 12


# Cells and margins


@given(
    st.floats(-1e6, 1e6).map(np.rint),
    st.integers(0, 10**7),
    st.sampled_from([None, 0, 2]),
    st.integers(0, 99),
)
def test_a_value_drawn_from_a_cell_is_in_it(low, width, decimals, seed):
    attribute = Attribute(name="x", scale="numeric", low=low, high=low + width, decimals=decimals)
    cells, rng = PublicCells.of(attribute), np.random.default_rng(seed)
    assert cells.size < 500
    codes = rng.integers(cells.missing, cells.size, 200)
    values, reasons = cells.drawn(codes, rng)
    assert not reasons.any()
    assert values.min() >= low and values.max() <= low + width
    again = cells.codes(Table(Schema([attribute]), {"x": values}))
    if decimals is None:
        assert np.abs(again - codes).max() <= 1  # a draw may be rounded up to where the next cell begins
    else:
        assert again.tolist() == codes.tolist()


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.integers(1, 40))
def test_nearest_shares_are_nearest(counts, n):
    counts = np.array(counts)
    found = nearest_shares(counts, n)
    assert found.min() >= 0 and found.sum() == pytest.approx(n)
    falls = (counts - found)[found > 1e-9]
    assert np.ptp(falls) < 1e-6  # all that stay fall by the same, which is what is nearest
    assert (counts[found <= 1e-9] <= falls.mean() + 1e-6).all()


def test_noise_is_taken_from_smooth_counts_and_steps_stay():
    rng = np.random.default_rng(0)
    counts = np.repeat([400.0, 50.0], 50)
    noised = counts + rng.normal(0, 20, 100)
    cleaned = without_noise(noised, 20)
    assert np.abs(cleaned - counts).mean() < 0.5 * np.abs(noised - counts).mean()
    np.testing.assert_allclose(without_noise(noised, 0.0), noised)


def test_empty_cells_are_not_believed_unless_they_are_sure():
    cells = PublicCells.of(SCHEMA["sex"])
    assert margin(cells, np.array([25, 500, 500]), 10, 1000)[0] == 0
    assert margin(cells, np.array([200, 400, 400]), 10, 1000)[0] == pytest.approx(200)


def test_groups_are_numbered_without_gaps():
    for cells in cells_of():
        counts = np.arange(cells.size, dtype=float)
        groups = groups_of(cells, counts, 1.0, 16)
        assert np.unique(groups).tolist() == list(range(groups.max() + 1))


def test_gaps_shrink_by_their_noise():
    expected = np.full(100, 50)
    noised = expected + np.where(np.arange(100) % 2, 40, -40)
    nearly = shrunk(noised, expected, 1.0)
    np.testing.assert_allclose(nearly, noised, atol=0.1)
    half = shrunk(noised, expected, 40 / np.sqrt(2))
    np.testing.assert_allclose(half - expected, (noised - expected) / 2)
    np.testing.assert_allclose(shrunk(noised, expected, 41.0), expected)
