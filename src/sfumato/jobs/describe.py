"""Show how a file is read, its quality and its risks; propose a schema."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.core import FileError, Result, Seed, param, stream
from sfumato.data import Attribute, Schema, Source, Table
from sfumato.data.blocks import Blocks
from sfumato.data.moments import shown
from sfumato.data.routing import found_rules
from sfumato.jobs._column_doubts import column_doubts
from sfumato.jobs._combinations import (
    CombinationProfile,
    all_but_names,
    known_by_others,
    riskiest_combinations,
    seen_by,
)
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._reading import FromDisk, Reading, Working
from sfumato.jobs._words import percent
from sfumato.jobs._work import Work
from sfumato.measures.k_anonymity import KAnonymity

SAMPLE = 100_000  # records of a file from disk that are looked at
OTHERS_KNOW, EVERYTHING = "all that others may know", "all columns"
NAMES_SHOWN = 8


class Describe(Reading, FromDisk, Working):
    """Show how FILE is read, the quality of each column, and what an intruder sees in the key attributes.

    Without --schema the proposed one is used, with a reason for each choice. Key attributes are those an intruder
    may know; confidential ones are what a release is about.

    FILE may be a folder of Parquet files. Of Parquet that is too large for memory a random sample of records is
    described; what all key attributes together give away is counted in the whole file.

    >>> import pandas as pd
    >>> import sfumato
    >>> found = sfumato.describe(pd.DataFrame({"age": [31, 31, 80, 80], "sex": ["f", "f", "m", "f"]}))
    >>> found.keys.attributes, found.keys.uniques
    (('age', 'sex'), 50.0)
    >>> found.to_frame()[["name", "scale", "role"]]
      name    scale role
    0  age  numeric  key
    1  sex  nominal  key
    """

    save_schema: Path | None = param(
        default=None,
        help="write the schema to a new file, to edit and use with --schema",
        word="FILE.toml",
        writes=True,
        suffixes=(".toml",),
    )

    def check_files(self) -> None:
        """Refuse to write over a schema that somebody may have edited."""
        super().check_files()
        if self.save_schema is not None and self.save_schema.exists():
            raise FileError(
                f"Schema file {self.save_schema} exists already: give another name, so that no edit is lost."
            )

    def run(self, source: Source, *, work: Work) -> "Profile":
        table = source.table
        profile = described_blocks(table, work) if isinstance(table, Blocks) else described(table)
        schema, found = table.schema, () if isinstance(table, Blocks) else found_rules(table)
        return dataclasses.replace(
            profile,
            job=self,
            schema=schema.with_rules(found) if found else schema,
            found_rules=tuple(rule.text for rule in found),
            proposed=source.proposed,
            doubts=source.doubts,
            because=source.reasons,
        )


class ColumnProfile(Result):
    """What a column holds, in counts and statistics."""

    name: str
    scale: str
    role: str
    missing: float
    distinct: int
    summary: str
    notes: tuple[str, ...]
    not_asked: float = 0.0


class Profile(Outcome):
    """A table seen by its owner: columns, and the risk that the key attributes carry as they are.

    Of a file worked on from disk only `sample` records were looked at; what all keys together give away is counted
    in the whole file. `known_by_others` is what an intruder finds who knows all that others may know, `everything` what one
    finds who knows all columns; both are of the sample. `because` says why each column is read as it is. `found_rules` are those that `protect` keeps,
    since the schema declares none.
    """

    drawn_by: ClassVar[str] = "key_risks"

    records: int
    columns: tuple[ColumnProfile, ...]
    keys: CombinationProfile | None
    known_by_others: CombinationProfile | None
    everything: CombinationProfile | None
    riskiest: tuple[CombinationProfile, ...]
    sample: int = field(default=0, repr=False)
    schema: Schema | None = field(default=None, repr=False)
    found_rules: tuple[str, ...] = field(default=(), repr=False)
    proposed: bool = field(default=False, repr=False)
    doubts: Mapping[str, str] = field(default_factory=dict, repr=False)
    because: Mapping[str, str] = field(default_factory=dict, repr=False)

    def contents(self) -> Mapping[str, Content]:
        return {} if self.schema is None else {"save_schema": self.schema.without_lists().to_toml()}

    def told(self) -> Iterator[str | Listing]:
        how = "as proposed" if self.proposed else "as the schema says"
        part = f"; described from {self.sample} of them" if self.sample < self.records else ""
        file = (self.job.file if isinstance(self.job, Describe) else None) or "The table"
        title = f"{file}: {self.records} records, {len(self.columns)} columns, read {how}{part}"
        heads = ("Column", "Scale", "Role", ">Missing", ">Distinct", "Values", "Why, and doubts")
        yield Listing(title, heads, [self._column_row(column) for column in self.columns])
        if self.keys is None:
            yield "\nNo key attributes: nothing an intruder may know is declared."
        if self.keys is not None or self.everything is not None:
            yield ""
            counted = "; in the whole file for all keys, in the sample for the others" if part else ""
            yield Listing(
                f"What the columns give away: percent of records with few or no others alike{counted}",
                ("Known to the intruder", ">Alone", ">Fewer than 3", ">Fewer than 5", ">Smallest group"),
                list(self._risk_rows()),
            )
        yield from self._questions()
        if self.found_rules:
            yield "\nRules that no record breaks, though chance would break them: who is asked what"
            yield from (f"  {rule}" for rule in self.found_rules)
        if isinstance(self.job, Describe) and (path := self.job.save_schema) is not None:
            yield f"\nWrote the schema to {path}; edit it and use it with --schema {path}."

    def to_dict(self) -> dict[str, Any]:
        facts = super().to_dict()
        facts |= {"rules": list(self.found_rules)} if self.found_rules else {}
        if self.because:
            facts = {"schema": "proposed" if self.proposed else "declared", **facts}
            facts |= {"sample": self.sample} if self.sample < self.records else {}
            for column in facts["columns"]:
                column["because"] = self.because[column["name"]]
        return facts

    def _risk_rows(self) -> Iterator[tuple[str, ...]]:
        """The risk on all keys, on what others may know and on all columns; then on the riskiest keys."""
        keys = "all keys, as proposed and not confirmed" if self.proposed else "all keys"
        wider = {keys: self.keys, OTHERS_KNOW: self.known_by_others, EVERYTHING: self.everything}
        for who, found in wider.items():
            if found is not None:
                yield _combination_row(f"{who}: {_shortened(found.attributes)}", found)
        for found in self.riskiest:
            if self.keys is None or found.attributes != self.keys.attributes:
                yield _combination_row(", ".join(found.attributes), found)

    def _questions(self) -> Iterator[str]:
        """What nobody but the owner of the file can answer, in few lines."""
        if not self.proposed:
            return
        asked = []
        if self.keys is not None:
            asked.append(f"Does an intruder know no more than {_shortened(self.keys.attributes)}?")
        if self.doubts:
            asked.append(
                f"Should {_shortened(tuple(self.doubts))} be released? They are not before a schema says so."
            )
        structural = [one.name for one in self.schema or () if one.structural]
        if structural:
            asked.append(
                f"Were the codes of {_shortened(tuple(structural))} that stand apart given where nothing was asked?"
            )
        yield "\nThis schema is proposed and nobody has confirmed it. Before you rely on it, answer:"
        yield from (f"  {question}" for question in asked)

    def _column_row(self, column: ColumnProfile) -> tuple[str, ...]:
        why = [self.because[column.name]] if column.name in self.because else []
        return (
            column.name,
            column.scale,
            column.role,
            f"{column.missing:.1f} %"
            + (f" + {column.not_asked:.1f} % not asked" if column.not_asked else ""),
            str(column.distinct),
            column.summary,
            "; ".join([*why, *column.notes]),
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [column.to_dict() for column in self.columns]


def described(table: Table) -> Profile:
    """Profile a table.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": ["31", "31", "80"], "sex": ["f", "f", "m"]}))
    >>> profile = described(people)
    >>> round(profile.keys.uniques, 1), profile.keys.smallest
    (33.3, 1)
    """
    names = table.schema.with_role("key")
    return Profile(
        records=table.n,
        columns=tuple(column_profile(table, name) for name in table.names),
        keys=seen_by(table, names),
        known_by_others=known_by_others(table),
        everything=all_but_names(table),
        riskiest=riskiest_combinations(table, names) if table.n else (),
        sample=table.n,
    )


def _shortened(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:NAMES_SHOWN])
    return f"{shown} and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else shown


def described_blocks(blocks: Blocks, work: Work, *, sample: int = SAMPLE, seed: Seed = 0) -> Profile:
    """Profile a table in blocks by a sample; the profile of all keys is that of the whole file."""
    profile = described(blocks.take(sampled_rows(blocks.n, sample, seed)))
    names = blocks.schema.with_role("key")
    keys = _whole_combination(blocks, names, work) if names else None
    return dataclasses.replace(profile, records=blocks.n, keys=keys)


def sampled_rows(n: int, sample: int, seed: Seed) -> np.ndarray:
    """So many rows of n, drawn without repetition and in order; all of them if there are no more.

    >>> sampled_rows(5, 9, 0).tolist(), len(set(sampled_rows(100, 9, 0).tolist()))
    ([0, 1, 2, 3, 4], 9)
    """
    if n <= sample:
        return np.arange(n)
    return np.sort(stream(seed, "sample").choice(n, sample, replace=False, shuffle=False))


def _whole_combination(blocks: Blocks, names: tuple[str, ...], work: Work) -> CombinationProfile:
    from sfumato.jobs.evaluate import scored  # only files from disk need measures

    shares, smallest = {}, 0.0
    for k in (2, 3, 5):
        asked = KAnonymity(k=k, attributes=names)
        found = scored(blocks, blocks, work, measures=[asked]).score_of(asked)
        shares[k], smallest = found.value, found.parts["smallest"]
    return CombinationProfile(
        attributes=names, uniques=shares[2], below_3=shares[3], below_5=shares[5], smallest=int(smallest)
    )


def _combination_row(who: str, found: CombinationProfile) -> tuple[str, ...]:
    shares = (percent(share) for share in (found.uniques, found.below_3, found.below_5))
    return (who, *shares, str(found.smallest))


def column_profile(table: Table, name: str) -> ColumnProfile:
    attribute, values = table.schema[name], table[name]
    missing, not_asked = table.missing(name), _not_asked(table, name)
    present = values[~missing]
    distinct = len(np.unique(present))
    return ColumnProfile(
        name=name,
        scale=attribute.scale,
        role=attribute.role,
        missing=100 * float((missing & ~not_asked).mean()) if table.n else 0.0,
        distinct=distinct,
        summary=_numbers_in_short(attribute, present)
        if attribute.is_numeric
        else f"{attribute.domain_size} categories",
        notes=tuple(column_doubts(table, name, present, distinct)),
        not_asked=100 * float(not_asked.mean()) if table.n else 0.0,
    )


def _not_asked(table: Table, name: str) -> np.ndarray:
    """The records that have a code which says that nothing was asked."""
    attribute, reasons = table.schema[name], table.reasons(name)
    if reasons is None or not attribute.structural:
        return np.zeros(table.n, bool)
    codes = [at for at, code in enumerate(attribute.missing, start=1) if code in attribute.structural]
    found: np.ndarray = np.isin(reasons, codes)
    return found


def _numbers_in_short(attribute: Attribute, present: np.ndarray) -> str:
    if len(present) == 0:
        return ""
    low, median, high = np.quantile(present, [0, 0.5, 1])
    return " … ".join(shown(attribute, number) for number in (low, median, high))
