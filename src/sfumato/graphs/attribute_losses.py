"""What a protected social graph has lost: values beside their neighbours', how often they occur, each of them.

All losses are shares: 0 where nothing is lost, and 1 where all is. They are those of §6.3 of Marés, *thesis*. A
missing value is a category like others. Numbers are looked at by the tenths of the original that they lie in.
"""

from collections.abc import Sequence

import numpy as np

from sfumato.core import DataError
from sfumato.data.graph import Graph
from sfumato.graphs.mixed_profiles import spans
from sfumato.graphs.profile_distances import Branches, common_codes, renumbered, topic_distance
from sfumato.kernels.distinct_records import distinct


def aamil(
    original: Graph, masked: Graph, names: Sequence[str], *, ends: str = "neighbour"
) -> dict[str, float]:
    """Loss of the links between values (attributes adjacency matrices, eq. 6.4), for each attribute.

    x_ij counts the links from nodes with value i to neighbours with value j, x'_ij the same after masking,
    and the loss is Σ |x_ij − x'_ij| / (2 Σ x_ij). An undirected edge is a link each way.

    In Figure 6.6 of the source the nodes keep their original value and only the neighbours have their masked
    one: the matrix says what the neighbours of the people in a place are now. That is `ends="neighbour"`.
    With `ends="both"` both ends are masked, as the words before the formula can also be read.
    """
    if ends not in ("neighbour", "both"):
        raise DataError(f"aamil: ends must be one of neighbour, both. Got {ends!r}.")
    _check_same_nodes(original, masked)
    found = {}
    for name in names:
        before, after = _classes(original, masked, name)
        was = _links(original, before, before)
        now = _links(masked, before if ends == "neighbour" else after, after)
        found[name] = _difference(was, now)
    return found


def cdil(original: Graph, masked: Graph, names: Sequence[str]) -> dict[str, float]:
    """Loss of the distribution of each attribute: Σ |freq(j) − freq'(j)| / (2 Σ freq(j)), eq. 6.6."""
    found = {}
    for name in names:
        before, after = _classes(original, masked, name)
        found[name] = _difference([before], [after])
    return found


def dbil(
    original: Graph, masked: Graph, location: str, topics: Sequence[str], others: Sequence[str] = ()
) -> dict[str, float]:
    """The mean distance between original and masked value, for each attribute; their mean is eq. 6.7.

    Locations are compared by eq. 6.1 in the hierarchy of the masked attribute, or in that of the original
    where it knows all masked places; topics by eq. 6.2. Of others, numbers and ordered categories are as far apart as
    they differ, as a share of the range (1 at most), and categories as locations where they have a hierarchy.
    """
    _check_same_nodes(original, masked)
    apart = {location: _place_distances(original, masked, location)} if location else {}
    for name in topics:
        apart[name] = topic_distance(*common_codes(original.nodes, masked.nodes, name))
    for name in others:
        apart[name] = _distances(original, masked, name)
    return {name: float(steps.mean()) if original.n else 0.0 for name, steps in apart.items()}


def _distances(original: Graph, masked: Graph, name: str) -> np.ndarray:
    attribute = original.nodes.schema[name]
    if not attribute.is_numeric and attribute.hierarchy is not None:
        return _place_distances(original, masked, name)
    before, after = common_codes(original.nodes, masked.nodes, name)
    if not attribute.is_numeric and attribute.scale != "ordinal":
        return topic_distance(before, after)
    if attribute.is_numeric:
        before, after = original.nodes[name], masked.nodes[name]
        return number_distances(before, after, spans(before))
    one, other = (np.where(codes < 0, np.nan, codes) for codes in (before, after))
    return number_distances(one, other, max(attribute.domain_size - 1, 1))


def number_distances(ones: np.ndarray, others: np.ndarray, span: float) -> np.ndarray:
    """Differences as shares of the range, 1 at most; a missing number is at 1 from any, and at 0 from a missing one."""
    absent = np.isnan(ones) | np.isnan(others)
    apart = np.minimum(np.abs(ones - others) / span, 1)
    found: np.ndarray = np.where(absent, np.isnan(ones) != np.isnan(others), apart)
    return found


def _classes(original: Graph, masked: Graph, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The values of a column as codes; numbers by the tenths of the original that they lie in."""
    if not original.nodes.schema[name].is_numeric:
        return common_codes(original.nodes, masked.nodes, name)
    before, after = original.nodes[name], masked.nodes[name]
    known = before[~np.isnan(before)]
    cuts = np.unique(np.quantile(known, np.arange(1, 10) / 10)) if len(known) else np.empty(0)
    tenths = [np.where(np.isnan(v), -1, np.searchsorted(cuts, v, "right")) for v in (before, after)]
    return tenths[0], tenths[1]


def _place_distances(original: Graph, masked: Graph, location: str) -> np.ndarray:
    one, other = original.nodes.schema[location], masked.nodes.schema[location]
    for attribute in (one, other):
        if attribute.hierarchy is None:
            continue
        branches = Branches.of(attribute)
        if set(one.categories) | set(other.categories) <= set(branches.names):
            before = renumbered(original.nodes[location], one.categories, branches.names)
            return branches.between(
                before, renumbered(masked.nodes[location], other.categories, branches.names)
            )
    raise DataError(
        f"Column {location}: no hierarchy holds the places of both graphs; declare one that does."
    )


def _links(graph: Graph, ones: np.ndarray, others: np.ndarray) -> list[np.ndarray]:
    """The values at both ends of every link."""
    return [np.repeat(ones, graph.degrees), others[graph.indices]]


def _difference(was: Sequence[np.ndarray], now: Sequence[np.ndarray]) -> float:
    """How far two lists of values differ in how often each occurs, as a share of twice the first."""
    size = len(was[0])
    if not size:
        return 0.0
    found = distinct([np.concatenate(pair) for pair in zip(was, now, strict=True)])
    before = np.bincount(found.labels[:size], minlength=len(found.counts))
    return float(np.abs(2 * before - found.counts).sum()) / (2 * size)


def _check_same_nodes(original: Graph, masked: Graph) -> None:
    if original.n != masked.n:
        raise DataError(
            f"The protected graph has {masked.n} nodes where the original has {original.n}; "
            "they must be the same ones in the same order."
        )
