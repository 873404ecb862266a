"""Likeness: how much a record looks like the group in the very file that is to be protected."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Table
from sfumato.data.attribute import Attribute

FEWEST = 100  # members that a likeness is learnt from
BINS = 32  # into which numbers are cut, and scores
RARE = 0.5  # added to each count


def likeness(
    table: Table, member: np.ndarray, names: Sequence[str], weights: np.ndarray
) -> np.ndarray | None:
    """The chance of each record to belong, by a naive Bayes classifier; nothing where there are too few members.

    The logarithms of how much more often the group has each value are added up over the columns, and each range of sums
    gets the share of members that is found there. It takes one pass over each column, and stands in the search for
    attackers that nobody knows yet: none of them can see much more in the file than what its owner sees.
    """
    if not names or np.count_nonzero(member) < FEWEST or member.all():
        return None
    score = np.zeros(table.n)
    for name in names:
        score += _evidence(_codes(table.schema[name], table[name]), member, weights)
    grades = _codes_of_numbers(score, np.linspace(0, 1, BINS + 1)[1:-1], score[member])
    found: np.ndarray = _shares(grades, member, weights)[grades]
    return found


def _evidence(codes: np.ndarray, member: np.ndarray, weights: np.ndarray) -> np.ndarray:
    size = int(codes.max()) + 1
    inside = np.bincount(codes, weights=weights * member, minlength=size) + RARE
    outside = np.bincount(codes, weights=weights * ~member, minlength=size) + RARE
    ratio = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
    found: np.ndarray = ratio[codes]
    return found


def _shares(codes: np.ndarray, member: np.ndarray, weights: np.ndarray) -> np.ndarray:
    everybody = np.bincount(codes, weights=weights)
    shares: np.ndarray = np.bincount(codes, weights=weights * member) / np.maximum(everybody, 1e-300)
    return shares


def _codes(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    """Small numbers from 0 on; 0 where a value is missing."""
    if not attribute.is_numeric:
        return values.astype(np.int64) + 1
    there = ~np.isnan(values)
    codes = np.zeros(len(values), np.int64)
    if there.any():
        codes[there] = 1 + _codes_of_numbers(values[there], np.linspace(0, 1, BINS + 1)[1:-1], values[there])
    return codes


def _codes_of_numbers(values: np.ndarray, shares: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The range of each value, between quantiles of some."""
    return np.searchsorted(np.unique(np.quantile(among, shares)), values, side="right")
