"""Where records of any scale stand, so that neighbours can be brought together."""

import numpy as np

from sfumato.data import MISSING, Attribute, Table
from sfumato.masking._whole_file import Whole


def positions(part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
    """Records on a scale from 0 to 1 in each attribute: numbers by the ends of the file, categories by order.

    A missing number stands in the middle, a missing category before all others.
    """
    columns = [_place(part.schema[name], part[name], whole) for name in names]
    return np.column_stack(columns) if columns else np.empty((part.n, 0))


def _place(attribute: Attribute, values: np.ndarray, whole: Whole) -> np.ndarray:
    if not attribute.is_numeric:
        position = np.full(attribute.domain_size + 1, -1.0)
        position[category_order(attribute)] = np.arange(attribute.domain_size)
        place: np.ndarray = position[values] / max(attribute.domain_size - 1, 1)
        return place
    low, high = whole.ends(attribute.name)
    scaled = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return np.nan_to_num(scaled, nan=0.5)


def category_order(attribute: Attribute) -> np.ndarray:
    """The codes of an attribute in the order in which it is cut.

    That is the order of the domain, or, for a nominal attribute with a hierarchy, the order of its leaves
    after all levels above, so that brothers stay together.

    >>> from sfumato.data import Hierarchy
    >>> tree = Hierarchy((("Soria", "Castile"), ("Lleida", "Catalonia"), ("Avila", "Castile")))
    >>> names = ("Lleida", "Soria", "Avila")
    >>> town = Attribute(name="town", scale="nominal", categories=names, hierarchy=tree)
    >>> category_order(town).tolist()
    [1, 2, 0]
    """
    codes = np.arange(attribute.domain_size)
    if attribute.scale != "nominal" or attribute.hierarchy is None:
        return codes
    attribute.hierarchy.check_covers(attribute.name, attribute.categories)
    first: dict[str, int] = {}
    for position, row in enumerate(attribute.hierarchy.rows):
        for level, node in enumerate(row):
            first.setdefault(f"{level} {node}", position)
    paths = {
        row[0]: [first[f"{level} {node}"] for level, node in reversed(list(enumerate(row)))]
        for row in attribute.hierarchy.rows
    }
    return np.array(sorted(codes.tolist(), key=lambda code: paths[attribute.categories[code]]), np.int64)


def ranks_and_positions(part: Table, name: str, whole: Whole) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each record in the part (0 for missing), and where each rank stands on a scale of length 1."""
    attribute, values = part.schema[name], part[name]
    if attribute.is_numeric:
        distinct, ranks = np.unique(values, return_inverse=True)  # all NaN are one, and the last
        ranks, distinct = np.where(np.isnan(values), 0, ranks.ravel() + 1), distinct[~np.isnan(distinct)]
        low, high = whole.ends(name)
    else:
        order = category_order(attribute)
        position = np.empty(attribute.domain_size + 1, np.int64)
        position[order] = np.arange(1, attribute.domain_size + 1)
        position[MISSING] = 0
        ranks, distinct = position[values], np.arange(attribute.domain_size, dtype=np.float64)
        used = np.flatnonzero(whole.frequencies(name)[order])
        low, high = (float(used[0]), float(used[-1])) if len(used) else (np.nan, np.nan)
    scaled = (distinct - low) / (high - low) if high > low else np.zeros(len(distinct))
    return ranks, np.concatenate([[0.0], scaled])
