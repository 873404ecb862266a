"""Starting populations: the maskings of a table that an evolution begins with."""

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np

from sfumato.core import DataError, Seed, SfumatoError, progress, registry
from sfumato.data import Table
from sfumato.masking import Chain, Masking, masked_with
from sfumato.masking.data_swapping import DataSwapping
from sfumato.masking.global_recoding import GlobalRecoding
from sfumato.masking.mdav import Mdav
from sfumato.masking.mdav_generic import MdavGeneric
from sfumato.masking.pram import Pram
from sfumato.masking.rank_swapping import RankSwapping
from sfumato.masking.top_bottom_coding import TopBottomCoding
from sfumato.parallel import Workers
from sfumato.search.maskings.options import part_options, whole_options

LARGE = 10_000  # records from which on the source made 48 microaggregations instead of 72
MOST_MERGED = 7  # categories merged by the codings of the source
FAR_SWAPS = (60.0, 100.0)  # percent of the records, beyond the grid of rank swapping
BLOCK = 250  # of records that are grouped by themselves, where a start needs many groupings of a large file


def mares_start(table: Table, names: Sequence[str], *, numeric: int = 16) -> list[Masking]:
    """The maskings that the source starts from, as far as it tells them.

    Numbers: half of the `numeric` maskings are rank swappings, half microaggregations (the source had 50 for
    Census and 16 for the others). Categories: 72 microaggregations (48 in large files), 11 rank swappings,
    9 PRAMs, and top coding, bottom coding and global recoding of p = 2 … 7 categories, as far as the smallest
    domain goes. That gives the 110, 104 and 86 maskings of the source. It does not say how the
    microaggregations differ; here they group the attributes all together, two and two, and one by one, each
    with 24 (16) sizes k. Nominal attributes have no ranks: where rank swapping is meant, they are swapped at
    random, as many records as ranks; where only they are masked, top and bottom coding cannot be.

    Source: Marés, *thesis*, §3.5.
    """
    numbers, categories = _by_kind(table, names)
    lists: list[list[Masking]] = []
    if numbers:
        lists.append(_numeric_start(numbers, numeric))
    if categories:
        lists.append(_categorical_start(table, categories))
    return _chained(lists)


def portfolio_start(table: Table, names: Sequence[str], *, methods: Sequence[str] = ()) -> list[Masking]:
    """Every method that applies over its own grid, and rank swappings that go farther.

    Where a table has numbers and categories, each masking of the ones is chained with one of the others, so
    that each setting is there once at least; methods that take all scales are also used on all attributes.
    """
    methods = tuple(methods) or registry.names("masking")
    keeping = tuple(name for name in methods if registry.load("masking", name).keeps_records)
    kinds = [kind for kind in _by_kind(table, names) if kind]
    lists: list[list[Masking]] = [
        [*part_options(table, kind, keeping, partly=True), *_far(table, kind)] for kind in kinds
    ]
    whole = whole_options(table, tuple(names), keeping) if len(kinds) > 1 else []
    return [*_chained([found for found in lists if found]), *whole]


def masked_start(
    table: Table, maskings: Sequence[Masking], *, seed: Seed = 0, workers: int = 1
) -> list[tuple[Masking, Table]]:
    """The masked versions with what made them; what cannot be applied is left out with a note."""
    found: dict[int, Table | str] = {}
    with Workers((table, seed), workers) as crew, progress.task("Masking the start", len(maskings)) as work:
        for position, masked in crew.run(_masked, maskings):
            found[position] = masked
            work.advance()
    start = []
    for position, masking in enumerate(maskings):
        outcome = found[position]
        if isinstance(outcome, str):
            progress.note(f"{masking} was left out: {outcome}")
        else:
            start.append((masking, outcome))
    if not start:
        raise DataError("None of the maskings to start from could be applied.")
    return start


def _masked(shared: tuple[Table, Seed], masking: Masking) -> Table | str:
    table, seed = shared
    try:
        return masked_with(masking, table, seed=seed)
    except SfumatoError as error:
        return str(error)


def _by_kind(table: Table, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    numbers = tuple(name for name in names if table.schema[name].is_numeric)
    return numbers, tuple(name for name in names if name not in numbers)


def _numeric_start(names: tuple[str, ...], count: int) -> list[Masking]:
    half = -(-count // 2)
    swaps = [RankSwapping(p=float(p), attributes=names) for p in np.linspace(2, 50, half).round()]
    sizes = dict.fromkeys(np.linspace(3, 3 + max(count - half, 24), count - half).astype(int).tolist())
    return [*swaps, *(Mdav(k=k, attributes=names) for k in sizes)]


def _categorical_start(table: Table, names: tuple[str, ...]) -> list[Masking]:
    large = table.n >= LARGE
    ordinal = tuple(name for name in names if table.schema[name].scale == "ordinal")
    nominal = tuple(name for name in names if name not in ordinal)
    sizes = range(2, 18 if large else 26)
    smallest = min(table.schema[name].domain_size for name in names)
    merged = range(2, min(MOST_MERGED, smallest) + 1)
    found: list[Masking] = [_in_blocks(k, blocks, large) for blocks in _blocks(names) for k in sizes]
    if ordinal:
        for side in ("bottom", "top"):
            found += [TopBottomCoding(side=side, p=p, attributes=ordinal) for p in merged]
    found += [GlobalRecoding(p=p, attributes=names) for p in merged]
    found += [_swapped(float(p), ordinal, nominal) for p in RankSwapping.grid["p"]]
    return [*found, *(Pram(p=p, attributes=names) for p in Pram.grid["p"])]


def _blocks(names: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """All attributes together, two and two, and one by one; each way once."""
    widths = dict.fromkeys((len(names), min(2, len(names)), 1))
    for width in widths:
        yield [names[at : at + width] for at in range(0, len(names), width)]


def _in_blocks(k: int, blocks: list[tuple[str, ...]], large: bool) -> Masking:
    size = BLOCK if large else MdavGeneric.block
    steps = [MdavGeneric(k=k, attributes=names, block=size) for names in blocks]
    return steps[0] if len(steps) == 1 else Chain(tuple(steps))


def _swapped(p: float, ordinal: tuple[str, ...], nominal: tuple[str, ...]) -> Masking:
    steps: list[Masking] = []
    if ordinal:
        steps.append(RankSwapping(p=p, attributes=ordinal))
    if nominal:
        steps.append(DataSwapping(p=p, attributes=nominal))
    return steps[0] if len(steps) == 1 else Chain(tuple(steps))


def _far(table: Table, names: tuple[str, ...]) -> list[Masking]:
    ranked = tuple(name for name in names if table.schema[name].scale != "nominal")
    return [RankSwapping(p=p, attributes=ranked) for p in FAR_SWAPS] if ranked else []


def _chained(lists: list[list[Masking]]) -> list[Masking]:
    """One list as it is; of two, each option of the longer with one of the shorter, taken in turn."""
    if len(lists) < 2:
        return lists[0] if lists else []
    longer, shorter = sorted(lists, key=len, reverse=True)
    ahead = lists[0] is longer
    pairs = zip(longer, cycle(shorter), strict=False)
    return [Chain((a, b) if ahead else (b, a)) for a, b in pairs]
