"""A release in the terms of its original: what was recoded is drawn, so that models see one domain."""

from collections.abc import Sequence

import numpy as np

from sfumato.data.attribute import Attribute
from sfumato.data.coverage import coverage_of
from sfumato.data.encoding import MISSING
from sfumato.data.schema import Schema
from sfumato.data.table import Table


def in_terms_of(original: Schema, released: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """Some columns of a release under the schema of the original.

    A category that stands for several is a uniform draw from them; what is missing stays so.

    >>> from sfumato.data import Attribute
    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> merged = size.evolve(categories=("S", "M+"), covers={"M+": ("M", "L")})
    >>> release = Table(Schema([merged]), {"size": np.array([0, 1, 1, -1])})
    >>> drawn = in_terms_of(Schema([size]), release, ["size"], np.random.default_rng(0))
    >>> drawn["size"][[0, 3]].tolist(), set(drawn["size"][1:3].tolist()) <= {1, 2}
    ([0, -1], True)
    """
    columns = {name: _column(original[name], released, name, rng) for name in names}
    return Table(original.select(names), columns)


def _column(attribute: Attribute, released: Table, name: str, rng: np.random.Generator) -> np.ndarray:
    if attribute.is_numeric:
        return released[name]
    if attribute.domain_size == 0:  # no category has a name there
        return np.full(released.n, MISSING)
    reading = coverage_of(attribute, released.schema[name])
    codes = reading.of(released[name])
    for s, members in enumerate(reading.sets):
        rows = np.flatnonzero(codes == reading.size + s)
        codes[rows] = rng.choice(members, len(rows))
    return codes
