"""Mask a file with one method."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, ParameterError, Promise, Seed, marked, param, progress
from sfumato.data import Schema, Source, Table, frame_like
from sfumato.data.blocks import Blocks, without_records
from sfumato.jobs._contents import About, Columns, Content, Record
from sfumato.jobs._formal_promise import check_declared
from sfumato.jobs._job import Listing
from sfumato.jobs._judging import Judging, asked_for_verdict
from sfumato.jobs._order import Order
from sfumato.jobs._public_facts import PublicFacts, maskings_applied, pair
from sfumato.jobs._reading import FromDisk, Reading, Working, say_keys
from sfumato.jobs._released import Envelopes, published, published_blocks
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._treatment import REMOVED, Treatments, makes_households
from sfumato.jobs._verdict import Verdict, verdict_of
from sfumato.jobs._work import Work
from sfumato.masking import (
    GroupingAccount,
    Masking,
    Microaggregation,
    generator_for,
    of_proposal,
    traced_with,
)
from sfumato.masking.from_disk.mask_blocks import PARTITION, mask_blocks, steps_of
from sfumato.version import __version__


class Mask(Reading, Releasing, Judging, FromDisk, Working):
    """Mask FILE with one method and write OUT. The method's parameters are options: see them with
    sfumato mask --method NAME --help.

    Without --schema all columns the method can take are masked, save those that look like identifiers, households or
    survey weights; a method that draws whole records changes only survey weights. Identifiers are dropped. The schema
    of OUT is written beside it as STEM.schema.toml. Judge the outcome with: sfumato evaluate FILE OUT, or at once, with
    people outside, by --verdict

    FILE may be a folder of Parquet files. Parquet that is too large for memory is masked from disk, on all cores or
    on a cluster; OUT must then be Parquet too.

    >>> Mask(file="a.csv", output="b.csv", masking="mdav(k=3)").spec()
    {'job': 'mask', 'method': 'mdav(k=3)', 'file': 'a.csv', 'output': 'b.csv'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> masked = sfumato.mask(people, "mdav(k=5, attributes=[age])")
    >>> masked.shape == people.shape, bool(masked["age"].value_counts().min() >= 5)
    (True, True)
    """

    positional: ClassVar[tuple[str, ...]] = ("masking",)

    masking: Masking = param(
        option="method",
        short="m",
        help="the method; list them with: sfumato methods",
        needed=True,
        spread=True,
    )
    shuffle: bool = param(
        default=False, help="write the records in a random order, which is kept in the private folder"
    )

    groups: str = param(
        default="none",
        choices=("none", "told", "neighbours", "degree"),
        help="tell how groups were made, and what no groups could go below, by neighbours or by degree (which is slower)",
    )
    with_verdict: bool = asked_for_verdict(False)

    def check(self) -> None:
        super().check()
        if self.groups != "none" and not isinstance(self.masking, Microaggregation):
            raise ParameterError(
                f"{self.name}: groups must be none where the method makes no groups of records. Got {self.groups!r}."
            )

    def run(self, source: Source, *, work: Work) -> "Masked":
        self.check_disk(source)
        if source.on_disk:
            steps_of(self.masking)  # refuses a method that needs all records at once, before anything is read
        masking, schema = prepared(self.masking, source)
        table = source.with_schema(schema).table
        records = table if isinstance(table, Table) else without_records(schema)
        named = masking.targets(records)
        if masking.promise is not None:
            check_declared(source, table)
        treated = self.treated(table, named, source, linked=makes_households(masking, table))
        treated = treated.without(masking.leaves_out(records), REMOVED)
        if bare := treated.sentence_of_bare_keys(masking):
            progress.note(bare)
        facts: dict[str, Any] = {"job": self, "masking": masking, "records": table.n, "original": table}
        facts["treated"] = treated
        if isinstance(table, Blocks):
            if self.groups != "none":
                progress.note("groups of a file on disk are made part by part, and are not told.")
            blocks = masked_blocks(table, masking, work, seed=self.randomness)
            order = self._order(blocks.n, blocks.fingerprint(work.place.crew) if self.shuffle else "")
            rows = np.arange(blocks.n) if order is None else order.rows
            output, full = published_blocks(table, blocks, rows, treated, self.randomness, work.place)
            return Masked(**facts, output=output, full=full, order=order)
        groups = self._account(masking, table)
        masked, traced = traced_with(masking, table, seed=self.randomness)
        if len(traced) < table.n:
            progress.note(f"{len(traced)} of {table.n} records stay.")
        order = self._order(masked.n, masked.fingerprint if self.shuffle else "")
        rows = np.arange(masked.n) if order is None else order.rows
        aligned = masked.select(treated.released)
        known = table if masking.promise is None else None
        release, full = published(known, aligned, rows, treated, self.randomness)
        return Masked(
            **facts,
            output=release,
            full=full,
            table=masked.take(rows) if self.shuffle else masked,
            rows=traced[rows],
            order=Order(traced[rows]) if self.shuffle or len(traced) < table.n else None,
            verdict=verdict_of(self, masking, table, aligned, seed=self.randomness),
            groups=groups,
        )

    def _account(self, masking: Masking, table: Table) -> GroupingAccount | None:
        """How the groups were made, where that was asked for: they are made again, with the same random numbers."""
        if self.groups == "none" or not isinstance(masking, Microaggregation) or not table.n:
            return None
        bound = "none" if self.groups == "told" else self.groups
        rng = generator_for(masking, table, seed=self.randomness)
        with progress.without_notes():
            return GroupingAccount.of(masking, table, rng, bound=bound)

    def _order(self, n: int, fingerprint: str) -> Order | None:
        """A random order where it is asked for; else the file's own, which is said."""
        if self.shuffle:
            return Order.drawn(n, self.randomness, fingerprint)
        if self.output is not None:
            progress.note("records keep their order; --shuffle writes them in a random one.")
        return None

    @classmethod
    def returned(cls, outcome: "Masked", **data: Any) -> Any:
        """To who calls from Python: a table or frame of the kind that went in, with all its columns; blocks from disk."""
        if isinstance(outcome.output, Columns):
            return outcome.output.blocks
        given = data.get("file")
        if outcome.table is None or isinstance(given, Table | str) or not hasattr(given, "columns"):
            return outcome.table
        return frame_like(outcome.table, given, rows=outcome.rows)


class Masked(Envelopes):
    """A masked file: the method as it was applied, and what goes out."""

    masking: Masking
    records: int
    original: Table | Blocks = field(repr=False)
    output: Table | Columns = field(repr=False)
    full: Schema = field(repr=False)
    treated: Treatments = field(repr=False)
    table: Table | None = field(default=None, repr=False)
    rows: np.ndarray | None = field(default=None, repr=False)
    verdict: Verdict | None = field(default=None, repr=False)
    groups: GroupingAccount | None = field(default=None, repr=False)

    @property
    def promise(self) -> Promise | None:
        return self.masking.promise

    @property
    def maskings(self) -> tuple[Masking, ...]:
        return tuple(self.masking.sequence)

    @property
    def records_kept(self) -> int:
        return self.output.blocks.n if isinstance(self.output, Columns) else self.output.n

    @property
    def schema(self) -> Schema:
        if isinstance(self.output, Columns):
            return self.output.blocks.schema.select(self.output.names)
        return self.output.schema

    def public_facts(self) -> PublicFacts:
        """What stays on disk is not compared: that would be a second pass over both files."""
        facts: dict[str, Any] = {
            "schema": self.schema,
            "records": self.records_kept,
            "applied": maskings_applied(self.masking, self.original.schema, self.schema),
            "treated": self.treated,
            "shuffled": self.order is not None,
        }
        if self.promise is not None:
            return PublicFacts(**facts, promise=self.promise if self.promise_holds else None)
        if isinstance(self.original, Blocks) or self.table is None or self.rows is None:
            return PublicFacts(**facts)
        released = self.table.select(self.schema.names)
        return PublicFacts(**facts, pair=pair(self.original.take(self.rows), released))

    def contents(self) -> Mapping[str, Content]:
        return {
            "output": self.output,
            "about": About(self),
            "schema": self.schema.to_toml(),
            "record": Record(self),
            **self.kept(self.full),
        }

    def told(self) -> Iterator[str | Listing]:
        of_all = f" of {self.records}" if self.records_kept < self.records else ""
        yield str(self.masking)
        if self.groups is not None:
            yield Listing("How groups were made", ("What", "Value"), tuple(self.groups.facts()))
        if self.verdict is not None:
            yield from self.verdict.report()
        yield from self.prices_told()
        yield from self.promise_told()
        yield from self.files_told(f"{self.records_kept}{of_all} records.")

    def to_dict(self) -> dict[str, Any]:
        facts = super().to_dict()
        del facts["masking"]
        return {
            **facts,
            "method": self.masking.spec(),
            "kept": self.records_kept,
            "publication": self.readiness(),
            **self.promise_record(),
            **self.prices_record(),
            "treatments": self.treated.to_dict(),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            **({} if self.verdict is None else {"verdict": self.verdict.to_dict()}),
        }


def prepared(masking: Masking, source: Source) -> tuple[Masking, Schema]:
    """Without a schema: which columns to mask, taken as the keys so that they are also what is judged."""
    schema = source.schema
    if not masking.keeps_records:
        say_keys(source)
    return of_proposal(masking, schema) if source.proposed else (masking, schema)


def masked_blocks(original: Blocks, masking: Masking, work: Work, *, seed: Seed) -> Blocks:
    """Mask a table in blocks, in the work folder; a job that was stopped goes on there."""
    if original.n == 0:
        raise DataError("The table holds no record: there is nothing to mask.")
    made_from = [original.folder.name, masking.keyed_by(), marked(seed), PARTITION, __version__]
    key = blake2b(json.dumps(made_from, sort_keys=True).encode(), digest_size=8).hexdigest()
    folder = work.place.folder / f"masked-{key}"
    return mask_blocks(original, masking, folder, seed=seed, crew=work.place.crew)
