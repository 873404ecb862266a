from collections import Counter

import numpy as np
import pytest
from evolving import NAMES, shuffled, small_problem, small_table
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.core import registry
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.mending_swaps import mending_swaps
from sfumato.kernels.mending_trades import mending_trades
from sfumato.measures import Change, Ctbil, Ebil, IntervalDisclosure
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.file_evolution.gray import IntegerGrid, from_gray, genome, to_gray
from sfumato.search.operators._contract import Crossover, Mutation
from sfumato.search.operators.gray_mutation import another_category
from sfumato.search.operators.two_point_crossover import exchanged
from sfumato.search.problems.masked_files import Fitness, MaskedFiles

OPERATORS = [registry.make("operators", name) for name in registry.names("operators")]
MUTATIONS = [operator for operator in OPERATORS if isinstance(operator, Mutation)]
CROSSOVERS = [operator for operator in OPERATORS if isinstance(operator, Crossover)]
SWAPS = [operator for operator in MUTATIONS if operator.name.endswith(("swaps", "swap_values", "trades"))]
sizes = st.sampled_from([1, 2, 7, 100])
seeds = st.integers(0, 10**6)
each_mutation = pytest.mark.parametrize("operator", MUTATIONS, ids=str)


def missing(values):
    return np.isnan(values) if values.dtype.kind == "f" else values < 0


def holed(table, seed):
    """A masked version in which some values are missing that the original has."""
    rng = np.random.default_rng(seed)
    return table.replace(
        {
            name: np.where(
                rng.random(table.n) < 0.1, np.nan if table.schema[name].is_numeric else -1, table[name]
            )
            for name in NAMES
        }
    )


def holed_problem(n, seed):
    table = small_table(n, seed)
    return MaskedFiles(table, NAMES, Fitness(), [("holed", holed(shuffled(table, seed), seed))])


def test_every_operator_is_a_mutation_or_a_crossover():
    assert len(MUTATIONS) + len(CROSSOVERS) == len(OPERATORS)
    assert {o.name for o in SWAPS} == {"swap_values", "mending_swaps", "mending_trades"}


@each_mutation
@given(n=st.integers(1, 30), seed=seeds, size=sizes)
@settings(max_examples=40)
def test_mutations_keep_values_legal_and_leave_what_is_missing(operator, n, seed, size):
    problem = holed_problem(n, seed)
    masked = problem.start[0][1]
    change = operator.mutate(problem, masked, np.random.default_rng(seed), size=size)
    assert len(set(change.rows.tolist())) == len(change.rows)
    assert set(change.columns) <= set(NAMES)
    for name, new in change.columns.items():
        old = masked.columns[name][change.rows]
        assert np.array_equal(missing(new), missing(old))
        attribute, here = problem.source.schema[name], new[~missing(new)]
        if attribute.is_numeric:
            assert np.allclose(attribute.conform(here), here)
        else:
            assert np.all(here < attribute.domain_size)


@each_mutation
def test_mutations_do_something_and_depend_on_the_generator_alone(operator):
    problem = small_problem()
    masked = problem.start[0][1]

    def column_after(seed):
        rng = np.random.default_rng(seed)
        child = masked
        for _ in range(5):
            child = child.after(operator.mutate(problem, child, rng, size=4))
        return np.column_stack([child.columns[name] for name in NAMES])

    before = np.column_stack([masked.columns[name] for name in NAMES])
    once, again, other = column_after(1), column_after(1), column_after(2)
    assert np.array_equal(once, again, equal_nan=True)
    assert not np.array_equal(once, before, equal_nan=True)
    assert not np.array_equal(once, other, equal_nan=True)


@pytest.mark.parametrize("operator", SWAPS, ids=str)
@given(seed=seeds, size=sizes)
@settings(max_examples=30)
def test_swaps_keep_the_distribution_of_every_attribute(operator, seed, size):
    problem = holed_problem(30, seed)
    masked = problem.start[0][1]
    child = masked.after(operator.mutate(problem, masked, np.random.default_rng(seed), size=size))
    for name in NAMES:
        assert np.array_equal(np.sort(child.columns[name]), np.sort(masked.columns[name]), equal_nan=True)


@given(seed=seeds)
@settings(max_examples=30)
def test_towards_original_never_moves_away_and_redrawn_values_are_those_of_the_original(seed):
    problem = holed_problem(30, seed)
    masked = problem.start[0][1]
    rng = np.random.default_rng(seed)
    back = registry.make("operators", "towards_original").mutate(problem, masked, rng, size=10)
    for name, new in back.columns.items():
        original, old = problem.original[name][back.rows], masked.columns[name][back.rows]
        if problem.source.schema[name].is_numeric:
            both = ~np.isnan(original) & ~np.isnan(old)
            assert np.all(np.abs(new - original)[both] <= np.abs(old - original)[both] + 1e-9)
        else:
            assert np.all((new == original) | (original < 0))
    drawn = registry.make("operators", "redraw_values").mutate(problem, masked, rng, size=10)
    for name, new in drawn.columns.items():
        known = problem.original[name]
        kept = new == masked.columns[name][drawn.rows]
        assert np.all(np.isin(new, known) | kept | missing(new))


@pytest.mark.parametrize("operator", CROSSOVERS, ids=str)
@given(n=st.integers(1, 25), seed=seeds)
@settings(max_examples=40)
def test_crossovers_exchange_and_lose_nothing(operator, n, seed):
    table = small_table(n, seed)
    start = [("a", shuffled(table, seed)), ("b", holed(shuffled(table, seed + 1), seed))]
    problem = MaskedFiles(table, NAMES, Fitness(), start)
    first, second = problem.start[0][1], problem.start[1][1]
    one, other = operator.cross(problem, first, second, np.random.default_rng(seed))
    children = first.after(one), second.after(other)
    for name in NAMES:
        a, b = first.columns[name], second.columns[name]
        c, d = children[0].columns[name], children[1].columns[name]
        stayed = same(c, a) & same(d, b)
        traded = same(c, b) & same(d, a)
        assert np.all(stayed | traded)


def same(a, b):
    return (a == b) | (missing(a) & missing(b))


@given(s=st.integers(0, 23), r=st.integers(0, 23))
def test_two_point_crossover_exchanges_cells_s_to_r_read_record_by_record(s, r):
    s, r = min(s, r), max(s, r)
    names = ("x", "y", "z")
    first, second = np.arange(24).reshape(8, 3), np.arange(100, 124).reshape(8, 3)
    files = [
        Genome({name: data[:, j].astype(float) for j, name in enumerate(names)}) for data in (first, second)
    ]
    one, other = exchanged(*files, names, s, r)
    a, b = first.ravel().copy(), second.ravel().copy()
    a[s : r + 1], b[s : r + 1] = second.ravel()[s : r + 1], first.ravel()[s : r + 1]
    for genome_, change, flat in ((files[0], one, a), (files[1], other, b)):
        columns = genome_.after(change).columns
        assert np.array_equal(np.column_stack([columns[name] for name in names]).ravel(), flat)


def test_record_crossover_exchanges_whole_records():
    problem = small_problem()
    first, second = problem.start[0][1], problem.start[1][1]
    operator = registry.make("operators", "record_crossover")
    counts = set()
    for seed in range(60):
        one, other = operator.cross(problem, first, second, np.random.default_rng(seed))
        assert set(one.columns) == set(other.columns) == set(NAMES)
        assert np.array_equal(one.rows, other.rows)
        assert 1 <= len(one.rows) <= problem.original.n // 2
        counts.add(len(one.rows))
    assert 1 in counts and max(counts) > 10


def covariances_apart(Z, target, j, precision):
    centred = Z - Z.mean(0)
    return float((precision * np.abs(centred.T @ centred[:, j] / len(Z) - target)).sum())


def nearness(own, now, reach):
    return float(np.maximum(0, 1 - np.abs(own - now) / reach).sum())


def naive_mending_swaps(Z, j, target, precision, own, now, reach, caution, pairs):
    """Swap each pair in turn in a copy of the file, and count all covariances and ranks again."""
    Z, now, chosen, used = Z.copy(), now.copy(), [], set()
    for candidates in pairs:
        options = []
        for t, (a, b) in enumerate(candidates.tolist()):
            if a == b or {a, b} & used:
                continue
            swapped, ranks = Z.copy(), now.copy()
            swapped[[a, b], j], ranks[[a, b]] = Z[[b, a], j], now[[b, a]]
            more = nearness(own, ranks, reach) - nearness(own, now, reach)
            left = covariances_apart(swapped, target, j, precision) + caution * more
            options.append((round(left, 9), t, a, b))
        if options and min(options)[0] < covariances_apart(Z, target, j, precision) - 1e-8:
            _, _, a, b = min(options)
            Z[[a, b], j], now[[a, b]] = Z[[b, a], j], now[[b, a]]
            chosen += [a, b]
            used |= {a, b}
    return chosen


@given(seed=seeds, caution=st.sampled_from([0.0, 0.05, 1.0]))
@settings(max_examples=30)
def test_mending_swaps_choose_as_their_slow_twin(seed, caution):
    rng = np.random.default_rng(seed)
    n, d, j = 20, 3, int(rng.integers(3))
    Z, X = rng.normal(size=(n, d)), rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    target = (X - X.mean(0)).T @ (X - X.mean(0))[:, j] / n
    precision = rng.uniform(0.5, 2, d)
    precision[j] = 0.0
    own, now = rng.random(n), rng.random(n)
    pairs = np.sort(rng.integers(n, size=(4, 6, 2)))  # (a, b) and (b, a) would differ by rounding alone
    centred = Z - Z.mean(0)
    gap = centred.T @ centred[:, j] / n - target
    found = mending_swaps(Z, j, gap, precision, own, now, 0.3, caution, pairs)
    assert found.tolist() == naive_mending_swaps(Z, j, target, precision, own, now, 0.3, caution, pairs)


def test_mending_swaps_bring_back_covariances_that_independent_shuffles_lost():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 1)) + 0.5 * rng.normal(size=(200, 3))
    names = ("x", "y", "z")
    schema = Schema([Attribute(name=name, scale="numeric", role="key") for name in names])
    table = Table(schema, dict(zip(names, X.T, strict=True)))
    lost = table.replace({name: rng.permutation(table[name]) for name in names})
    problem = MaskedFiles(table, names, Fitness(), [("shuffled", lost)])
    masked = problem.start[0][1]
    before = np.corrcoef(lost.numbers(names).T)
    operator = registry.make("operators", "mending_swaps")
    for _ in range(30):
        masked = masked.after(operator.mutate(problem, masked, rng, size=10))
    after, true = np.corrcoef(masked.table(problem.original).numbers(names).T), np.corrcoef(X.T)
    assert np.abs(after - true).max() < 0.1 < 0.5 < np.abs(before - true).max()


def entropy_left(own, now):
    """The bits that are missing to tell the original codes from the present ones, over all records."""
    pairs = Counter(zip(own.tolist(), now.tolist(), strict=True))
    seen = Counter(now.tolist())
    return -sum(count * np.log2(count / seen[u]) for (_, u), count in pairs.items())


def trade_costs(codes, j, target, own, cost, cell, bit):
    """What a file costs: records in the wrong cells of all tables with column j, distances and bits."""
    d = codes.shape[1]
    found = cost[own, codes[:, j]].sum() + bit * entropy_left(own, codes[:, j])
    for m in range(d):
        if m != j:
            table = np.zeros(target[m].shape)
            np.add.at(table, (codes[:, j], codes[:, m]), 1)
            found += cell * np.abs(table - target[m]).sum()
    return found


def naive_mending_trades(codes, j, target, own, cost, cell, bit, pairs):
    """Trade each pair in turn in a copy of the file, and count everything again."""
    codes, chosen, used = codes.copy(), [], set()
    for candidates in pairs:
        before, options = trade_costs(codes, j, target, own, cost, cell, bit), []
        for t, (a, b) in enumerate(candidates.tolist()):
            if a != b and not {a, b} & used:
                traded = codes.copy()
                traded[[a, b], j] = codes[[b, a], j]
                options.append((round(trade_costs(traded, j, target, own, cost, cell, bit), 9), t, a, b))
        if options and min(options)[0] < before - 1e-8:
            _, _, a, b = min(options)
            codes[[a, b], j] = codes[[b, a], j]
            chosen += [a, b]
            used |= {a, b}
    return chosen


@given(seed=seeds)
@settings(max_examples=30)
@example(seed=423)  # two trades that save as much
def test_mending_trades_choose_as_their_slow_twin(seed):
    rng = np.random.default_rng(seed)
    n, d, size, j = 24, 3, 4, int(rng.integers(3))
    codes, own = rng.integers(size, size=(n, d)), rng.integers(size, size=n)
    target = rng.integers(0, 5, (d, size, size))
    gaps = -target
    for m in range(d):
        np.add.at(gaps[m], (codes[:, j], codes[:, m]), 1)
    joint = np.zeros((size, size), np.int64)
    np.add.at(joint, (own, codes[:, j]), 1)
    cost, cell, bit = rng.random((size, size)), rng.random(), rng.random()
    pairs = np.sort(rng.integers(n, size=(4, 6, 2)))  # (a, b) and (b, a) would differ by rounding alone
    found = mending_trades(codes, j, gaps, joint, own, cost, cell, bit, pairs)
    assert found.tolist() == naive_mending_trades(codes, j, target, own, cost, cell, bit, pairs)


def test_mending_trades_bring_tables_back_and_disclose_no_more():
    rng = np.random.default_rng(1)
    places = tuple("abcdef")
    schema = Schema(
        [
            Attribute(name="from", scale="nominal", role="key", categories=places),
            Attribute(name="to", scale="nominal", role="key", categories=places),
        ]
    )
    here = rng.integers(6, size=300)
    there = np.where(rng.random(300) < 0.7, here, rng.integers(6, size=300))
    table = Table(schema, {"from": here, "to": there})
    lost = table.replace({"from": rng.permutation(here), "to": rng.permutation(there)})
    problem = MaskedFiles(table, ("from", "to"), Fitness(), [("shuffled", lost)])
    operator, masked = registry.make("operators", "mending_trades"), problem.start[0][1]
    assert operator.fits(problem)
    for _ in range(40):
        masked = masked.after(operator.mutate(problem, masked, rng, size=20))
    mended = masked.table(problem.original)
    for measure, share in ((Ctbil(), 0.4), (Ebil(), 0.6), (IntervalDisclosure(), 1.0)):
        bound = measure.bind(table)
        assert bound.score(mended).value < share * bound.score(lost).value


def test_operators_say_what_they_are_made_for():
    mixed = small_problem()
    numbers = MaskedFiles(mixed.source, ("wage", "age"), Fitness(), [("a", shuffled(mixed.source, 1))])
    categories = MaskedFiles(mixed.source, ("size", "trade"), Fitness(), [("a", shuffled(mixed.source, 1))])
    made_for = {
        operator.name: [operator.fits(problem) for problem in (mixed, numbers, categories)]
        for operator in MUTATIONS
    }
    assert made_for.pop("mending_swaps") == [True, True, False]
    assert made_for.pop("mending_trades") == [True, False, True]
    assert all(all(fits) for fits in made_for.values())
    rng = np.random.default_rng(1)
    swap = registry.make("operators", "mending_trades").mutate(numbers, numbers.start[0][1], rng, size=5)
    assert len(swap.rows) > 1


def test_a_bit_flip_changes_the_genome_in_one_bit():
    grid = IntegerGrid(Attribute(name="x", scale="numeric", decimals=0), np.array([0.0, 1000.0]))
    assert grid.bits == 10
    rng, seen = np.random.default_rng(1), set()
    for _ in range(300):
        flipped = genome(int(grid.flipped(600.0, rng)), 1000) ^ genome(600, 1000)
        assert flipped.bit_count() == 1
        seen.add(flipped)
    assert seen == {1 << bit for bit in range(10)}


def test_a_shown_bit_is_one_of_the_perturbation_and_none_is_flipped_without_one():
    """§3.3 of Marés' thesis: 1 ≤ k ≤ s, where the genome is b_s … b_1."""
    grid = IntegerGrid(Attribute(name="x", scale="numeric", decimals=0), np.array([0.0, 1000.0]))
    rng, length = np.random.default_rng(1), genome(600, 700).bit_length()
    seen = {genome(int(grid.flipped_below(600.0, 700.0, rng)), 700) ^ genome(600, 700) for _ in range(300)}
    assert seen == {1 << bit for bit in range(length)} and length < grid.bits
    assert grid.flipped_below(600.0, 600.0, rng) == 600.0
    assert np.isnan(grid.flipped_below(np.nan, 600.0, rng)) and grid.flipped_below(3.0, np.nan, rng) == 3.0


@given(seed=seeds)
@settings(max_examples=40)
def test_a_shown_bit_makes_no_perturbation_longer(seed):
    problem = small_problem()
    masked, rng = problem.start[0][1], np.random.default_rng(seed)
    change = registry.make("operators", "shown_bit").mutate(problem, masked, rng, size=1)
    for name, new in change.columns.items():
        if problem.source.schema[name].is_numeric and not missing(new).any():
            grid, row = problem.grids[name], change.rows[0]
            values = problem.source[name][row], masked.columns[name][row], new[0]
            original, before, after = (round((value - grid.low) / grid.unit) for value in values)
            assert genome(after, original).bit_length() <= genome(before, original).bit_length()


def test_an_attribute_without_values_has_a_grid_too():
    grid = IntegerGrid(Attribute(name="x", scale="numeric"), np.array([np.nan, np.nan]))
    assert np.isnan(grid.flipped(np.nan, np.random.default_rng(1)))


ORIGINAL = "13159 52267 48349 16582 47212"  # thesis, Figure 3.1
PROTECTED = "12157 91235 41989 16791 31272"
GENOMES = """0000 0001 0000 0000 1001
1010 0010 0000 0111 0011
0000 1101 1111 1010 0000
0000 0000 0011 0001 0010
0100 0101 0000 0101 0000"""


def test_the_genomes_of_figure_3_1():
    original, protected = ([int(digit) for digit in rows.replace(" ", "")] for rows in (ORIGINAL, PROTECTED))
    found = [f"{genome(x_, x):04b}" for x_, x in zip(protected, original, strict=True)]
    assert found == GENOMES.split()


@pytest.mark.parametrize(
    ("masked", "original", "code", "original_code", "expected"),
    [
        (1500, 1000, "11100110010", "1000011100", "10100101110"),
        (1500, 1900, "11100110010", "10011011010", "1111101000"),
        (12, 7, "1010", "100", "1110"),  # the table has no genome here
        (7, 12, "100", "1010", "1110"),
    ],
)
def test_the_genomes_of_table_3_1(masked, original, code, original_code, expected):
    assert (f"{to_gray(masked):b}", f"{to_gray(original):b}") == (code, original_code)
    assert f"{genome(masked, original):b}" == expected
    assert from_gray(genome(masked, original) ^ to_gray(original)) == masked


def test_a_change_of_many_cells_is_one_change():
    problem = small_problem()
    change = registry.make("operators", "swap_values").mutate(
        problem, problem.start[0][1], np.random.default_rng(3), size=5
    )
    assert isinstance(change, Change) and 2 <= len(change.rows) <= 10


def test_any_category_draws_the_same_one_too_and_leaves_what_is_missing():
    """§3.3 of Marés' thesis: among all valid values."""
    town = Attribute(name="town", scale="nominal", categories=("a", "b", "c"))
    rng = np.random.default_rng(5)
    printed, ours = (registry.make("operators", name) for name in ("any_category", "gray_mutation"))
    drawn = Counter(printed.category(town, 1, rng) for _ in range(3000))
    assert set(drawn) == {0, 1, 2} and all(900 < count < 1100 for count in drawn.values())
    assert {ours.category(town, 1, rng) for _ in range(100)} == {0, 2}
    assert printed.category(town, -1, rng) == -1


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5])
def test_another_category_is_any_other_one(size):
    attribute = Attribute(name="x", scale="nominal", categories=tuple("abcde"[:size]))
    for code in range(-1, size):
        drawn = {another_category(attribute, code, np.random.default_rng(seed)) for seed in range(80)}
        assert drawn == (set(range(size)) - {code} if code >= 0 and size > 1 else {code})
    if size:  # of a value beyond the original categories, any of these is another
        beyond = {another_category(attribute, size, np.random.default_rng(seed)) for seed in range(80)}
        assert beyond == (set(range(size)) if size > 1 else {size})
