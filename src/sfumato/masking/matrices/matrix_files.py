"""Files of Markov matrices: saved by whoever found them, applied by PRAM.

A file is JSON with, for each attribute, its categories and one row of probabilities per category:

    {"matrices": {"region": {"categories": ["north", "south"], "rows": [[0.9, 0.1], [0.2, 0.8]]}},
     "about": {"seed": 0, ...}}

or with an `equation` in their place (see `equations`), which makes a matrix for any attribute. `about` says
where it came from and changes nothing.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError, FileError, ParameterError
from sfumato.core.json_text import parsed_json
from sfumato.core.regular_files import small_text
from sfumato.data import Attribute, Schema
from sfumato.masking.matrices.equations import Equation

SUFFIX = ".json"
ROUNDING = 1e-6  # by how much a row may fail to add up to 1


@dataclass(frozen=True)
class StoredMatrix:
    """The matrix of one attribute as it is in a file."""

    categories: tuple[str, ...]
    rows: np.ndarray


@dataclass(frozen=True)
class MatrixFile:
    """What a file holds: matrices by attribute, or the equation that makes them."""

    path: str
    matrices: Mapping[str, StoredMatrix]
    equation: Equation | None = None

    @property
    def digest(self) -> str:
        """A short text that tells what it holds, wherever it lies."""
        made = hashlib.blake2b(str(self.equation or "").encode(), digest_size=16)
        for name, stored in self.matrices.items():
            made.update(json.dumps([name, stored.categories, stored.rows.tolist()]).encode())
        return made.hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that it has a matrix for; none where an equation makes them all."""
        return tuple(self.matrices)

    def matrix(self, attribute: Attribute, T: np.ndarray) -> np.ndarray:
        """The matrix of an attribute whose categories have these frequencies, in the order of its domain."""
        if self.equation is not None:
            return self.equation.matrix(T)
        stored = self.matrices.get(attribute.name)
        if stored is None:
            raise DataError(
                f"pram: {self.path} holds no matrix for column {attribute.name}; "
                f"it has {', '.join(self.names)}."
            )
        for what, here, there in (
            ("the file has no row for", attribute.categories, stored.categories),
            ("the schema does not declare", stored.categories, attribute.categories),
        ):
            strangers = [category for category in here if category not in there]
            if strangers:
                raise DataError(
                    f"pram: {self.path}, column {attribute.name}: {what} {len(strangers)} of the categories; "
                    "use the schema that the matrices were made with."
                )
        order = [stored.categories.index(category) for category in attribute.categories]
        return stored.rows[np.ix_(order, order)]


def matrices_text(matrices: Mapping[str, np.ndarray], schema: Schema, about: Mapping[str, Any]) -> str:
    parts = [f'  "about": {json.dumps(dict(about), ensure_ascii=False)}']
    for name, P in matrices.items():
        categories = json.dumps(list(schema[name].categories), ensure_ascii=False)
        rows = ",\n".join(f"      {json.dumps(row)}" for row in np.asarray(P, float).tolist())
        head = f'    {json.dumps(name, ensure_ascii=False)}: {{"categories": {categories}, '
        parts.append(f'{head}"rows": [\n{rows}]}}')
    return "{\n" + parts[0] + ',\n  "matrices": {\n' + ",\n".join(parts[1:]) + "\n  }\n}\n"


def read_matrices(path: str | Path) -> MatrixFile:
    text = small_text(Path(path), "File of matrices")
    try:
        held = parsed_json(text)
    except ValueError:
        raise FileError(f"{path}: not a file of matrices; it must be JSON.") from None
    if isinstance(held, dict) and isinstance(held.get("equation"), str):
        try:
            return MatrixFile(str(path), {}, Equation.parse(held["equation"]))
        except ParameterError as error:
            raise DataError(f"{path}: {error}") from None
    matrices = held.get("matrices") if isinstance(held, dict) else None
    if not isinstance(matrices, dict) or not matrices:
        raise DataError(f"{path}: must hold 'matrices', one table per column, or an 'equation'.")
    return MatrixFile(str(path), {name: _checked(path, name, one) for name, one in matrices.items()})


def _checked(path: str | Path, name: str, held: Any) -> StoredMatrix:
    where = f"{path}, column {name}"
    categories = held.get("categories") if isinstance(held, dict) else None
    if not isinstance(categories, list) or not all(isinstance(text, str) for text in categories):
        raise DataError(f"{where}: must have 'categories', a list of texts, and 'rows'.")
    if len(set(categories)) < len(categories):
        raise DataError(f"{where}: a category is named twice.")
    size = len(categories)
    try:
        rows = np.array(held.get("rows"), dtype=float)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.shape != (size, size):
        raise DataError(f"{where}: must have {size} rows of {size} numbers, one for each category.")
    for k, row in enumerate(rows):
        if not np.isfinite(row).all() or (row < 0).any() or abs(row.sum() - 1) > ROUNDING:
            raise DataError(
                f"{where}: the row of category {categories[k]!r} must hold probabilities that add up to 1. "
                f"They add up to {row.sum():.6g}."
            )
    return StoredMatrix(tuple(categories), rows / rows.sum(axis=1, keepdims=True))
