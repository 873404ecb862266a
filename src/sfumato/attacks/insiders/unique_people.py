"""What only one person has, a whole record or a number, and whether it stands in a release."""

from typing import NamedTuple

import numpy as np

from sfumato.attacks.insiders.people import in_order
from sfumato.core import stream
from sfumato.data import Table
from sfumato.data.shared_terms import in_terms_of
from sfumato.kernels.distinct_records import distinct


class Standing(NamedTuple):
    """For each person, whether what nobody else in the original has stands in the release; NaN where others have it.

    `records` is of the whole record, `values` has a column for each number.
    """

    records: np.ndarray
    values: np.ndarray

    @property
    def anything(self) -> np.ndarray:
        """Whether the record or any of the numbers does; NaN for who has nothing of her own."""
        every = np.column_stack([self.records, self.values])
        own = ~np.isnan(every).all(axis=1)
        return np.where(own, (every == 1).any(axis=1), np.nan)


class UniquePeople(NamedTuple):
    """People of the original and people outside: those are alike who would be unique if they were in the original.

    So a person inside has what nobody else of the original has, a person outside what nobody of it has; a file that
    does not know the people inside shows what is theirs as often as what is the others'.
    """

    original: Table
    outside: Table
    names: tuple[str, ...]

    def standing(self, released: Table) -> tuple[Standing, Standing]:
        """What stands in a release, of people inside and outside; recoded categories are drawn."""
        rng = stream(0, "copies", "terms")
        released = in_terms_of(self.original.schema, in_order(released, self.names), self.names, rng)
        files = [self.original, self.outside, released]
        records = _stands([[file[name] for name in self.names] for file in files])
        numbers = [name for name in self.names if self.original.schema[name].is_numeric]
        values = [_stands([[file[name]] for file in files]) for name in numbers]
        missing = [[file.missing(name) for name in numbers] for file in files[:2]]
        inside, outside = (
            Standing(
                records[side],
                np.column_stack(
                    [np.empty((files[side].n, 0))]
                    + [
                        np.where(gone, np.nan, one[side])
                        for one, gone in zip(values, missing[side], strict=True)
                    ]
                ),
            )
            for side in (0, 1)
        )
        return inside, outside


def _stands(files: list[list[np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Of the records of two files that no other of the first has: whether they stand in the third."""
    sizes = np.cumsum([len(columns[0]) for columns in files])
    labels = distinct([np.concatenate(column) for column in zip(*files, strict=True)]).labels
    original, outside, released = np.split(labels, sizes[:-1])
    size = int(labels.max(initial=-1)) + 1
    counts, shown = np.bincount(original, minlength=size), np.bincount(released, minlength=size) > 0
    return (
        np.where(counts[original] == 1, shown[original], np.nan),
        np.where(counts[outside] == 0, shown[outside], np.nan),
    )
