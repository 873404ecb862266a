"""Tables: immutable columns of numbers and codes, with the schema that explains them."""

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, UnknownNameError
from sfumato.data.arrow_columns import as_text, check_usable
from sfumato.data.attribute import Attribute
from sfumato.data.encoding import code_type, decode, encode
from sfumato.data.schema import Schema
from sfumato.kernels.distinct_records import distinct


class Table:
    """Records about people, households or firms.

    Numeric columns are float64 with NaN for missing; the others are codes into the categories of their
    attribute, with −1 for missing. The arrays are read-only: a masking makes a new table that shares the
    columns it did not change.

    >>> import numpy as np
    >>> sex = Attribute(name="sex", scale="nominal", categories=("f", "m"))
    >>> age = Attribute(name="age", scale="numeric", role="key", decimals=0, storage="integer")
    >>> table = Table(Schema([sex, age]), {"sex": np.int8([0, 1, -1]), "age": [31, 45, 28]})
    >>> table.n, table["sex"].tolist(), table.to_arrow()["age"].to_pylist()
    (3, [0, 1, -1], [31, 45, 28])
    """

    def __init__(
        self,
        schema: Schema,
        columns: Mapping[str, Any],
        *,
        reasons: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.schema = schema
        self._columns = {a.name: _checked(a, columns[a.name]) for a in schema}
        given = {name: np.asarray(r) for name, r in (reasons or {}).items() if name in schema}
        lengths = {len(values) for values in [*self._columns.values(), *given.values()]}
        if len(lengths) > 1:
            raise DataError(f"All columns must have the same length. Got {sorted(lengths)}.")
        self.n = lengths.pop() if lengths else 0
        kept = {name: self._reasons_of_missing(name, r) for name, r in given.items()}
        self._reasons = {name: _frozen(r) for name, r in kept.items() if r.any()}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._columns[name]
        except KeyError:
            raise UnknownNameError("column", name, self._columns) from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return self.n

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Table, reasons=self._reasons), (self.schema, self._columns)

    def __repr__(self) -> str:
        return f"Table({self.n} records × {len(self.schema)} attributes)"

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @cached_property
    def fingerprint(self) -> str:
        """A short text that changes whenever a value or a declaration does."""
        return blake2b(f"{self.schema.to_toml()}{self.digest}".encode(), digest_size=16).hexdigest()

    @cached_property
    def digest(self) -> str:
        """A short text that changes whenever a value does, whatever is declared of it."""
        digest = blake2b(digest_size=16)
        for name in self.names:
            digest.update(_canonical(self._columns[name]).tobytes())
            if name in self._reasons:
                digest.update(self._reasons[name].tobytes())
        return digest.hexdigest()

    def numbers(self, names: Iterable[str]) -> np.ndarray:
        """Numeric columns side by side, one row per record."""
        columns = [self._numeric(name) for name in names]
        return np.column_stack(columns) if columns else np.empty((self.n, 0))

    def codes(self, names: Iterable[str]) -> np.ndarray:
        """Categorical columns side by side as int32 codes, one row per record."""
        columns = [self._categorical(name) for name in names]
        return np.column_stack(columns).astype(np.int32) if columns else np.empty((self.n, 0), np.int32)

    def missing(self, name: str) -> np.ndarray:
        """Which records have no value here."""
        values = self[name]
        return np.isnan(values) if self.schema[name].is_numeric else values < 0

    def reasons(self, name: str) -> np.ndarray | None:
        """Which declared missing code each missing value had (1 for the first), where any had one."""
        return self._reasons.get(name)

    def shown(self, names: Iterable[str]) -> list[np.ndarray]:
        """What tells records apart in these columns of a file: the values, and which codes stand for missing ones.

        >>> x = Attribute(name="x", scale="numeric", missing=("-8", "-9"))
        >>> table = Table(Schema([x]), {"x": [1, np.nan, np.nan]}, reasons={"x": np.array([0, 1, 2])})
        >>> [column.tolist() for column in table.shown(["x"])]
        [[1.0, nan, nan], [0, 1, 2]]
        """
        names = tuple(names)
        values = [self[name] for name in names]
        return values + [self._reasons[name] for name in names if name in self._reasons]

    def replace(
        self,
        columns: Mapping[str, Any],
        attributes: Iterable[Attribute] = (),
        *,
        reasons: Mapping[str, np.ndarray | None] | None = None,
    ) -> "Table":
        """A table in which some columns, and where needed their attributes and reasons, are new.

        Where no reasons are given, a value that was missing and still is keeps its own.
        """
        for name in columns:
            self[name]
        held = {**self._reasons, **(reasons or {})}
        return Table(
            self.schema.replace(attributes),
            {**self._columns, **columns},
            reasons={name: given for name, given in held.items() if given is not None},
        )

    def with_schema(self, schema: Schema) -> "Table":
        """The same values under a schema that differs only in roles, labels or hierarchies."""
        return Table(schema, self._columns, reasons=self._reasons)

    def select(self, names: Iterable[str]) -> "Table":
        schema = self.schema.select(names)
        return Table(schema, self._columns, reasons=self._reasons)

    def take(self, rows: np.ndarray) -> "Table":
        return Table(
            self.schema,
            {name: values[rows] for name, values in self._columns.items()},
            reasons={name: values[rows] for name, values in self._reasons.items()},
        )

    def strata(self) -> list[tuple[str, np.ndarray]]:
        """The name and rows of each stratum; one nameless stratum where no attribute has that role."""
        names = self.schema.with_role("stratum")
        if not names:
            return [("", np.arange(self.n))]
        strata = distinct([self._categorical(name) for name in names])
        by_stratum = np.argsort(strata.labels, kind="stable")
        rows = np.split(by_stratum, np.cumsum(strata.counts)[:-1]) if self.n else []
        return [(self._stratum(names, first), at) for first, at in zip(strata.first, rows, strict=True)]

    def to_arrow(self, *, text: bool = False) -> pa.Table:
        """An Arrow table with the types the columns had where they came from."""
        arrays = [decode(self[a.name], self._reasons.get(a.name), a, text=text) for a in self.schema]
        return pa.Table.from_arrays(arrays, names=list(self.names))

    @classmethod
    def from_arrow(cls, arrow: pa.Table, schema: Schema, *, source: str = "the table") -> "Table":
        """Read an Arrow table under a schema; every column must be declared, and every value legal."""
        check_usable(arrow, source)
        for name in arrow.column_names:
            if name not in schema:
                raise DataError(f"{source}, column {name}: not declared in the schema; add a table for it.")
        for name in schema.names:
            if name not in arrow.column_names:
                raise DataError(f"{source}: column {name} is declared in the schema but not in the data.")
        schema = _with_listed(schema.select(arrow.column_names), arrow)
        encoded = {a.name: encode(arrow.column(a.name), a, source) for a in schema}
        return cls(
            schema,
            {name: values for name, (values, _) in encoded.items()},
            reasons={name: reasons for name, (_, reasons) in encoded.items() if reasons is not None},
        )

    def _reasons_of_missing(self, name: str, reasons: np.ndarray) -> np.ndarray:
        """Reasons only where a value is still missing and its code is still declared."""
        codes = len(self.schema[name].missing)
        kept = self.missing(name) & (reasons > 0) & (reasons <= codes)
        return np.where(kept, reasons, 0).astype(code_type(codes))

    def _numeric(self, name: str) -> np.ndarray:
        if not self.schema[name].is_numeric:
            raise DataError(f"Column {name} is {self.schema[name].scale}, not numeric.")
        return self[name]

    def _categorical(self, name: str) -> np.ndarray:
        if self.schema[name].is_numeric:
            raise DataError(f"Column {name} is numeric, not ordinal or nominal.")
        return self[name]

    def _stratum(self, names: tuple[str, ...], record: int) -> str:
        codes = {name: self[name][record] for name in names}
        labels = {n: self.schema[n].categories[c] if c >= 0 else "missing" for n, c in codes.items()}
        return ", ".join(f"{name} = {label}" for name, label in labels.items())


def _with_listed(schema: Schema, arrow: pa.Table) -> Schema:
    """The schema with the values of identifiers that it does not list: nobody reads these, and there are many."""
    listed = []
    for attribute in schema:
        if attribute.is_open:
            texts = as_text(arrow.column(attribute.name)).unique().to_pylist()
            found = {text for text in texts if text} - set(attribute.missing)
            listed.append(attribute.evolve(categories=tuple(sorted(found))))
    return schema.replace(listed)


def _canonical(values: np.ndarray) -> np.ndarray:
    """Numbers with one kind of zero and one kind of NaN, so that equal tables have equal bytes."""
    return np.where(np.isnan(values), np.nan, values + 0.0) if values.dtype.kind == "f" else values


def _checked(attribute: Attribute, values: Any) -> np.ndarray:
    if attribute.is_numeric:
        values = np.asarray(values, dtype=np.float64)
        if np.isinf(values).any():
            raise DataError(f"Column {attribute.name}: values must be finite.")
    else:
        values = np.asarray(values)
        if values.size and (values.min() < -1 or values.max() >= attribute.domain_size):
            raise DataError(
                f"Column {attribute.name}: codes must lie within the {attribute.domain_size} categories."
            )
        values = values.astype(code_type(attribute.domain_size), copy=False)
    return _frozen(values)


def _frozen(values: np.ndarray) -> np.ndarray:
    if values.flags.writeable:
        values = values.copy()  # the caller may still hold the old one
        values.flags.writeable = False
    return values
