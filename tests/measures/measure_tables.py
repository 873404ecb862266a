"""Small random tables with missing values, and maskings of them that recode some domains."""

import numpy as np
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table

SCALES = ("numeric", "ordinal", "nominal")


@st.composite
def pairs(draw, scales=SCALES, least=1, columns=4):
    """An original and a masked table; few values, so that ties, equal records and constants occur.

    Values may be missing for no stated reason, or with one of two codes.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(least, 14))
    kinds = draw(st.lists(st.sampled_from(scales), min_size=1, max_size=columns))
    holes = draw(st.sampled_from([0.0, 0.2, 1.0]))
    codes = draw(st.sampled_from([(), ("-8", "-9")]))
    old, new, before, after = {}, {}, [], []
    for j, scale in enumerate(kinds):
        a, b, x, y = (number if scale == "numeric" else category)(rng, f"v{j}", scale, n)
        before.append(a.evolve(missing=codes))
        after.append(b.evolve(missing=codes))
        gap = np.nan if scale == "numeric" else -1
        old[a.name] = np.where(rng.random(n) < holes, gap, x)
        new[a.name] = np.where(
            rng.random(n) < holes / 2, gap, np.where(rng.random(n) < holes, old[a.name], y)
        )
        if a.domain_size != b.domain_size:
            new[a.name] = np.where(rng.random(n) < holes / 2, gap, y)
    reasons = {name: rng.integers(0, len(codes) + 1, n) for name in old}
    return Table(Schema(before), old, reasons=reasons), Table(Schema(after), new, reasons=reasons)


def number(rng, name, scale, n):
    attribute = Attribute(name=name, scale="numeric", role="key")
    x = rng.integers(0, rng.integers(1, 8), n) * rng.choice([1.0, 0.25, 64.0])
    return attribute, attribute, x, x + rng.integers(-1, 2, n) * 0.5


def category(rng, name, scale, n):
    size = int(rng.integers(1, 6))
    a = Attribute(name=name, scale=scale, role="key", categories=tuple("abcdef"[:size]))
    x = rng.integers(0, size, n)
    if rng.random() < 0.5:
        return a, a, x, np.where(rng.random(n) < 0.5, x, rng.integers(0, size, n))
    covered = [c for c in a.categories if rng.random() < 0.6]
    b = a.evolve(categories=("?", a.categories[-1], "set"), covers={"set": tuple(covered)})
    return a, b, x, rng.integers(0, 3, n)


def keys(scales, columns):
    """A table of named columns of codes or numbers, all keys: {"name": values} and its scale or domain."""
    attributes = [
        Attribute(name=name, scale="numeric", role="key")
        if isinstance(domain, str)
        else Attribute(name=name, scale=domain[0], role="key", categories=tuple(domain[1]))
        for name, domain in scales.items()
    ]
    return Table(Schema(attributes), {name: np.array(columns[name]) for name in scales})


def with_weights(table, weights):
    """The table with a survey weight for each record."""
    weight = Attribute(name="weight", scale="numeric", role="weight")
    columns = {name: table[name] for name in table.names} | {"weight": np.asarray(weights, float)}
    known = {name: table.reasons(name) for name in table.names}
    reasons = {name: found for name, found in known.items() if found is not None}
    return Table(Schema([*table.schema, weight]), columns, reasons=reasons)
