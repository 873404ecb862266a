"""The exchange: records go from blocks to partitions, are masked there, and come back to their blocks.

As in a map-reduce shuffle, three lists of jobs follow each other: one per block that sends its records, one
per bundle of partitions that masks them, and one per block that collects them again. A job writes one file,
which is there whole or not at all, so that a job whose file exists need not be done again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sfumato.data import Table
from sfumato.data.blocks import Blocks, mapped_arrays, write_batch
from sfumato.data.encoding import code_type
from sfumato.masking import Whole
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.domains import Category, Domain, occurring, united
from sfumato.masking.from_disk.masking_task import MaskingTask

ROW, VALUE, REASON = "row", "value of ", "reason of "  # what columns on their way are called
STARTS, ABOUT = b"starts", b"about"


@dataclass(frozen=True)
class Parcel:
    """Columns on their way, as views of a file: sorted by where they go, to place p those from starts[p] on."""

    columns: Mapping[str, np.ndarray]
    starts: np.ndarray
    about: Any

    def between(self, first: int, last: int) -> dict[str, np.ndarray]:
        """The records of the places from `first` up to, but without, `last`."""
        here = slice(int(self.starts[first]), int(self.starts[last]))
        return {name: values[here] for name, values in self.columns.items()}


def write_parcel(
    path: Path, columns: Mapping[str, np.ndarray], starts: np.ndarray, about: Any = None
) -> None:
    """Write sorted columns, where places begin, and a few words of JSON about them."""
    batch = pa.record_batch([pa.array(values) for values in columns.values()], names=list(columns))
    words = {STARTS: np.asarray(starts, np.int64).tobytes(), ABOUT: json.dumps(about).encode()}
    write_batch(path, batch.replace_schema_metadata(words))


def read_parcel(path: Path) -> Parcel:
    columns, words = mapped_arrays(path)
    return Parcel(columns, np.frombuffer(words[STARTS], np.int64), json.loads(words[ABOUT]))


class Routing(Protocol):
    """Tells where records go."""

    @property
    def homes(self) -> tuple[int, ...]:
        """For each leaf a number that those share which may be joined."""

    def leaves(self, part: Table, rows: np.ndarray) -> np.ndarray:
        """The leaf of each record; −1 for one that stays where it is."""


@dataclass(frozen=True)
class Exchange:
    """Some columns to be masked, how records are routed, and the folder of the files on their way.

    `linked` are columns by which records are together, and which come back changed too.
    """

    work: MaskingTask
    names: tuple[str, ...]
    wholes: Mapping[Stratum, Whole]
    routing: Routing
    folder: Path
    linked: tuple[str, ...] = ()

    @property
    def original(self) -> Blocks:
        return self.work.original

    @property
    def returning(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.names, *self.linked]))

    @property
    def coded(self) -> tuple[str, ...]:
        """The columns whose missing values may have codes, which then travel with them."""
        return tuple(name for name in self.returning if self.original.schema[name].missing)

    @property
    def travelling(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.returning, *self.work.masking.beside(self.original.schema)]))

    def sent(self, block: int) -> Path:
        """The file with the records of a block, sorted by leaf."""
        return self.folder / f"sent-{block:06d}.arrow"

    def masked(self, bundle: int) -> Path:
        """The file with the masked records of some partitions, sorted by block and row."""
        return self.folder / f"masked-{bundle:06d}.arrow"


@dataclass(frozen=True)
class Bundle:
    """Some partitions that follow each other: their numbers, from the first on, and their leaves."""

    number: int
    first: int
    partitions: tuple[tuple[int, int], ...]


def send(_: None, job: tuple[Exchange, int]) -> np.ndarray:
    """Sort the records of a block by leaf, and write them; how many go to each leaf."""
    exchange, block = job
    path = exchange.sent(block)
    if not path.exists():
        part = exchange.original.table(block, exchange.travelling)
        rows = np.arange(part.n)
        leaves = exchange.routing.leaves(part, rows + int(exchange.original.starts[block]))
        leaves = leaves.astype(np.min_scalar_type(-len(exchange.routing.homes)))  # small ones sort fast
        order = np.argsort(leaves, kind="stable")
        order = order[leaves[order] >= 0]
        starts = np.searchsorted(leaves[order], np.arange(len(exchange.routing.homes) + 1))
        columns = {VALUE + name: part[name][order] for name in exchange.travelling}
        reasons = {REASON + name: _reasons(part, name)[order] for name in exchange.coded}
        write_parcel(path, {ROW: rows[order].astype(np.int32), **columns, **reasons}, starts)
    return np.diff(read_parcel(path).starts)


def mask_bundle(_: None, job: tuple[Exchange, Bundle]) -> dict[str, Domain]:
    """Mask the partitions of a bundle and write them; the domains of categories in them."""
    exchange, bundle = job
    path = exchange.masked(bundle.number)
    if not path.exists():
        parcels = [read_parcel(exchange.sent(block)) for block in range(len(exchange.original))]
        masked = [
            _masked(exchange, parcels, bundle.first + number, leaves)
            for number, leaves in enumerate(bundle.partitions)
        ]
        _write(exchange, path, masked)
    return {name: _domain(held) for name, held in read_parcel(path).about.items()}


def collect(
    exchange: Exchange, block: int, lookups: Sequence[Mapping[str, np.ndarray]]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The masked columns of a block and their reasons, in its order; codes of each bundle have a lookup."""
    part = exchange.original.table(block, exchange.returning)
    columns = {
        name: np.array(part[name]) if part.schema[name].is_numeric else part[name].astype(np.int64)
        for name in exchange.returning
    }
    reasons = {name: _reasons(part, name).copy() for name in exchange.coded}
    for bundle, lookup in enumerate(lookups):
        found = read_parcel(exchange.masked(bundle)).between(block, block + 1)
        for name in exchange.returning:
            values = found[VALUE + name]
            columns[name][found[ROW]] = lookup[name][values] if name in lookup else values
        for name in exchange.coded:
            reasons[name][found[ROW]] = found[REASON + name]
    return columns, reasons


@dataclass(frozen=True)
class _Masked:
    """A partition after masking: which record of which block each is, columns, domains, and reasons."""

    block: np.ndarray
    row: np.ndarray
    columns: dict[str, np.ndarray]
    domains: dict[str, Domain]
    reasons: dict[str, np.ndarray]


def _masked(exchange: Exchange, parcels: Sequence[Parcel], number: int, leaves: tuple[int, int]) -> _Masked:
    found = [parcel.between(*leaves) for parcel in parcels]
    sizes = [len(one[ROW]) for one in found]
    block = np.repeat(np.arange(len(found)), sizes)
    row = np.concatenate([one[ROW] for one in found])
    order = np.lexsort((row, block))  # several leaves that were joined are each in order
    schema = exchange.original.schema.select(exchange.travelling)
    part = Table(
        schema,
        {name: np.concatenate([one[VALUE + name] for one in found])[order] for name in schema.names},
        reasons={n: np.concatenate([one[REASON + n] for one in found])[order] for n in exchange.coded},
    )
    rng = exchange.work.stream(*exchange.names, number)
    after = exchange.work.masking.apply_part(part, exchange.names, rng, exchange.wholes)
    columns, domains = {}, {}
    for name in exchange.returning:
        columns[name] = after[name]
        if not schema[name].is_numeric:
            domains[name], columns[name] = occurring(schema[name], after.schema[name], after[name])
    reasons = {name: _reasons(after, name) for name in exchange.coded}
    return _Masked(block[order], row[order], columns, domains, reasons)


def _write(exchange: Exchange, path: Path, masked: Sequence[_Masked]) -> None:
    """Put partitions together, over one domain for each attribute, in the order of the file."""
    block = np.concatenate([one.block for one in masked])
    row = np.concatenate([one.row for one in masked])
    order = np.lexsort((row, block))
    columns, about = {ROW: row[order]}, {}
    for name in exchange.returning:
        pieces = [one.columns[name] for one in masked]
        if name in masked[0].domains:
            domain, lookups = united(exchange.original.schema[name], [one.domains[name] for one in masked])
            pieces = [lookup[piece].astype(np.int32) for lookup, piece in zip(lookups, pieces, strict=True)]
            about[name] = domain
        columns[VALUE + name] = np.concatenate(pieces)[order]
    for name in exchange.coded:
        columns[REASON + name] = np.concatenate([one.reasons[name] for one in masked])[order]
    starts = np.searchsorted(block[order], np.arange(len(exchange.original) + 1))
    write_parcel(path, columns, starts, about)


def _reasons(part: Table, name: str) -> np.ndarray:
    """Why values are missing, also where no code is known."""
    reasons = part.reasons(name)
    return np.zeros(part.n, code_type(len(part.schema[name].missing))) if reasons is None else reasons


def _domain(held: Any) -> Domain:
    categories, changed = held
    return Domain(
        tuple(Category(name, tuple(originals), label) for name, originals, label in categories), changed
    )
