"""Subgroups of a file by the values of an attribute, as sparse tables of records and groups."""

import numpy as np
from scipy.sparse import csr_array

from sfumato.data.coverage import Coverage

LEAST_SHARE = 1e-9  # of a record; less is rounding of survey weights


def categories_of(reading: Coverage, codes: np.ndarray) -> csr_array:
    """How much of each record is in each category: a recoded one is a uniform draw, a missing one in none."""
    readings = reading.of(codes)
    lengths = np.array([1] * reading.size + [len(members) for members in reading.sets] + [0])
    members = np.concatenate([np.arange(reading.size), *reading.sets]).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    counts = lengths[readings]
    ends = np.cumsum(counts)
    within = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    columns = members[np.repeat(starts[readings], counts) + within]
    shares = np.repeat(1 / np.maximum(counts, 1), counts)
    return csr_array((shares, columns, np.append(0, ends)), shape=(len(codes), reading.size))


def quantile_groups(values: np.ndarray, groups: int, weights: np.ndarray | None) -> csr_array:
    """How much of each record is in each of so many equal groups by value; a missing value is in none.

    Records that are tied across a border count in both groups, as if their order were drawn: the groups are
    of equal size whatever ties there are, and do not depend on the order of the records.

    >>> quantile_groups(np.array([5.0, 1.0, 5.0, np.nan, 9.0]), 2, None).toarray().tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [0.0, 0.0], [0.0, 1.0]]
    """
    present = np.flatnonzero(~np.isnan(values))
    weight = np.ones(len(present)) if weights is None else weights[present]
    distinct, labels = np.unique(values[present], return_inverse=True)
    mass = np.bincount(labels, weight, minlength=len(distinct))
    # in units of which a group is as long as all records: whole numbers where records count alike
    ends = groups * np.cumsum(mass)
    total = float(mass.sum())
    borders = np.arange(groups) * total
    low = np.maximum((ends - groups * mass)[:, None], borders)
    high = np.minimum(ends[:, None], borders + total)
    shares = np.maximum(high - low, 0.0) / np.where(mass > 0, groups * mass, 1.0)[:, None]
    shares[shares < LEAST_SHARE] = 0.0
    table = np.zeros((len(values), groups))
    table[present] = shares[labels]
    return csr_array(table)
