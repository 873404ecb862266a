"""Records of all scales in groups: how they are laid out for distances, and what stands for a group."""

from typing import NamedTuple

import numpy as np

from sfumato.data import MISSING, Attribute, Table
from sfumato.masking._aggregates import group_means
from sfumato.masking._whole_file import Whole


class MixedRecords(NamedTuple):
    """Numbers, codes, and what a step between codes is worth; see `kernels.mdav_generic`."""

    Z: np.ndarray
    C: np.ndarray
    steps: np.ndarray
    sizes: np.ndarray


def mixed_records(part: Table, names: tuple[str, ...], standardise: str, whole: Whole) -> MixedRecords:
    """The records with standardised numbers, and the steps of `data.coverage`: 1 / size of an ordinal domain."""
    numeric = tuple(name for name in names if part.schema[name].is_numeric)
    others = [part.schema[name] for name in names if name not in numeric]
    return MixedRecords(
        np.ascontiguousarray(whole.moments(numeric).scaled(part.numbers(numeric), standardise)),
        np.ascontiguousarray(part.codes(a.name for a in others)),
        np.array([1 / max(a.domain_size, 1) if a.scale == "ordinal" else 0.0 for a in others]),
        np.array([a.domain_size for a in others], np.int64),
    )


def group_release(attribute: Attribute, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What each group releases: the mean (made legal), the lower median or the mode of the values present.

    Missing where no value is present. Of two modes the one that comes first in the domain.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L"))
    >>> labels = np.array([0, 0, 0, 1, 1, 2])
    >>> group_release(size, np.array([2, 0, 1, 2, 0, -1]), labels).tolist()
    [1, 0, -1]
    >>> group_release(size.evolve(scale="nominal"), np.array([2, 0, 2, 2, 0, -1]), labels).tolist()
    [2, 0, -1]
    """
    if attribute.is_numeric:
        return attribute.conform(group_means(values[:, None], labels)[:, 0])
    groups = int(labels.max(initial=-1)) + 1
    released = np.full(groups, MISSING)
    at = np.flatnonzero(values >= 0)
    cells = labels[at] * attribute.domain_size + values[at].astype(np.int64)
    if attribute.scale == "ordinal":
        cells = np.sort(cells)
        counts = np.bincount(labels[at], minlength=groups)
        ends = np.cumsum(counts)
        middles = (ends - counts + (counts - 1) // 2)[counts > 0]
        released[counts > 0] = cells[middles] % attribute.domain_size
        return released
    cells, counts = np.unique(cells, return_counts=True)
    by_count = np.lexsort((-cells, counts))  # the last one written is the most frequent, then the first
    released[cells[by_count] // max(attribute.domain_size, 1)] = cells[by_count] % max(
        attribute.domain_size, 1
    )
    return released
