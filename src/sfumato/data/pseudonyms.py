"""Pseudonyms: new numbers for households and whatever else links records, which tell nothing of the old ones.

A value always gets the same pseudonym under the same key, whatever else a file holds, and two values never get
the same one: files that are released under one key still link with each other, and with nothing else.
"""

import re
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np

from sfumato.core import DataError, Key, Seed, stream
from sfumato.data.attribute import Attribute
from sfumato.data.blocks import INDEX, Blocks, BlockWriter
from sfumato.data.encoding import MISSING
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.kernels.keyed_permutation import permuted

LEAST = 10**14  # so that all new numbers have 15 digits, which doubles and spreadsheets keep
SIZE = 9 * 10**14  # how many new numbers there are
WHOLE = 8 * 10**14  # of these for whole numbers; the rest is for negative ones and those with decimals
DECIMALS = 3
TEXT_BYTES = 13  # 104 bits: two texts of a billion have the same pseudonym once in 10^13 releases
NUMBER = r"(0|[1-9]\d*)|-?(0|[1-9]\d*)\.\d{0,2}[1-9]|-[1-9]\d*"


@dataclass(frozen=True)
class Pseudonyms:
    """The pseudonyms under one key, or in studies one seed.

    >>> names = Pseudonyms(Key(b"0" * 32))
    >>> old = np.array([1001.0, 1002.0, 1001.0, np.nan])
    >>> new = names.of_numbers(old)
    >>> bool(new[0] == new[2]), bool(new[0] == new[1]), len(f"{new[1]:.0f}"), bool(np.isnan(new[3]))
    (True, False, 15, True)
    >>> names.of_texts(["1002", "A7"])[0] == f"{new[1]:.0f}"
    True
    """

    seed: Seed

    @cached_property
    def _secret(self) -> bytes:
        if isinstance(self.seed, Key):
            return self.seed.derived("pseudonyms", size=48)
        return stream(self.seed, "pseudonyms").bytes(48)

    def of_numbers(self, values: np.ndarray) -> np.ndarray:
        """A whole number of 15 digits for each number; missing stays missing."""
        present = ~np.isnan(values)
        places = _places(values[present])
        if len(places) and places.min() < 0:
            raise DataError(
                f"a number is too long, or has more than {DECIMALS} decimals, to be replaced by a new one; "
                "declare the column nominal"
            )
        found = np.full(len(values), np.nan)
        found[present] = permuted(places, SIZE, np.frombuffer(self._secret[:16], "<u8")) + LEAST
        return found

    def of_texts(self, texts: Sequence[str]) -> list[str]:
        """A text that is a number gets what the number gets; any other 21 letters and digits."""
        numbers = np.array([float(text) if re.fullmatch(NUMBER, text) else np.nan for text in texts])
        numbers[~np.isnan(numbers)] = _usable(numbers[~np.isnan(numbers)])
        new = self.of_numbers(numbers)
        return [
            self._of_text(text) if np.isnan(number) else str(int(number))
            for text, number in zip(texts, new, strict=True)
        ]

    def _of_text(self, text: str) -> str:
        digest = blake2b(text.encode(), key=self._secret[16:], digest_size=TEXT_BYTES).digest()
        return b32encode(digest).decode().rstrip("=").lower()


def _places(numbers: np.ndarray) -> np.ndarray:
    """Where each number stands among all that have a pseudonym; −1 for those that have none."""
    whole = (numbers >= 0) & (numbers < WHOLE) & (numbers == np.floor(numbers))
    with np.errstate(over="ignore"):
        thousandths = np.round(numbers * 10**DECIMALS)
    other = WHOLE + 2 * np.abs(thousandths) - (thousandths < 0)
    known = (other < SIZE) & (thousandths / 10**DECIMALS == numbers)
    return np.where(whole, numbers, np.where(known, other, -1)).astype(np.int64)


def _usable(numbers: np.ndarray) -> np.ndarray:
    """Numbers of texts, without those that are too long: these are replaced as the texts they are."""
    return np.where(_places(numbers) < 0, np.nan, numbers)


@dataclass(frozen=True)
class Renumbering:
    """What gives some columns of a table, or of each of its blocks, pseudonyms. `schema` is that of the outcome."""

    schema: Schema
    pseudonyms: Pseudonyms
    lookups: dict[str, np.ndarray | None]  # from old codes to new ones; none for a numeric column

    @classmethod
    def of(cls, schema: Schema, names: Sequence[str], seed: Seed) -> "Renumbering":
        pseudonyms = Pseudonyms(seed)
        attributes, lookups = [], {}
        for name in names:
            attribute, lookups[name] = _renamed(schema[name], pseudonyms)
            attributes.append(attribute)
        return cls(schema.replace(attributes), pseudonyms, lookups)

    def applied(self, table: Table) -> Table:
        columns = {}
        for name, lookup in self.lookups.items():
            columns[name] = self._numbers(table, name) if lookup is None else lookup[table[name]]
        return table.replace(columns, [self.schema[name] for name in self.lookups])

    def _numbers(self, table: Table, name: str) -> np.ndarray:
        try:
            return self.pseudonyms.of_numbers(table[name])
        except DataError as error:
            raise DataError(f"Column {name}: {error}.") from None


def renumbered(table: Table, names: Sequence[str], seed: Seed) -> Table:
    """The table with pseudonyms in these columns.

    >>> house = Attribute(name="house", scale="nominal", role="household", categories=("A7", "B2"))
    >>> people = Table(Schema([house]), {"house": [0, 1, 0, -1]})
    >>> new = renumbered(people, ["house"], Key(b"0" * 32))
    >>> new["house"].tolist() in ([0, 1, 0, -1], [1, 0, 1, -1]), "A7" in new.schema["house"].categories
    (True, False)
    """
    return Renumbering.of(table.schema, names, seed).applied(table)


def renumbered_blocks(blocks: Blocks, folder: Path, names: Sequence[str], seed: Seed) -> Blocks:
    """The same for a table on disk, as new blocks in a folder; what is there already is used again."""
    if (folder / INDEX).is_file():
        return Blocks(folder)
    renumbering = Renumbering.of(blocks.schema, names, seed)
    return BlockWriter(folder, renumbering.schema).write_all(map(renumbering.applied, blocks.tables()))


def _renamed(attribute: Attribute, pseudonyms: Pseudonyms) -> tuple[Attribute, np.ndarray | None]:
    """The attribute over pseudonyms, which have no order, and its new codes by the old ones."""
    kept = {code: label for code, label in attribute.labels.items() if code in attribute.missing}
    if attribute.is_numeric:
        numbers = {"storage": "integer", "decimals": 0, "low": None, "high": None}
        return attribute.evolve(labels=kept, hierarchy=None, **numbers), None
    new = pseudonyms.of_texts(attribute.categories)
    categories = sorted(new)
    position = {name: code for code, name in enumerate(categories)}
    if len(position) < attribute.domain_size:
        raise DataError(f"Column {attribute.name}: two values got the same new one; use another key.")
    changed = attribute.evolve(
        scale="nominal",
        storage="integer" if all(map(str.isdigit, new)) else "text",
        categories=tuple(categories),
        covers={},
        labels=kept,
        hierarchy=None,
    )
    return changed, np.array([*(position[name] for name in new), MISSING])
