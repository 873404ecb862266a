"""The long list: released records that may be a person's, by any plain cost; models look at no others."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sfumato.attacks.panel.case import Case, Column
from sfumato.attacks.panel.nearest import ABSENT, RANK_WEIGHT, middle_ranks
from sfumato.attacks.panel.pair_features import sides
from sfumato.kernels.cheapest_few import Costs, cheapest_few
from sfumato.parallel.threads import in_blocks

LONG = 120  # records of each person by each cost
BLOCK = 64
CONTRADICTION = 1024.0  # more than all other costs of a record


class Pairs(NamedTuple):
    """Pairs of people, by their place among those tried, and kinds of released records; in order of people."""

    place: np.ndarray
    kind: np.ndarray


class View(NamedTuple):
    """The people looked for (rows), the released records (columns), and what differences cost."""

    people: np.ndarray
    columns: np.ndarray
    costs: Costs


def long_list(case: Case) -> Pairs:
    """All kinds of records, where there are few; else those that are cheap by values, by ranks, or as compatible."""
    people, kinds = len(case.people), len(case.first)
    if kinds <= 2 * LONG:
        return Pairs(np.repeat(np.arange(people), kinds), np.tile(np.arange(kinds), people))
    near = np.concatenate([_cheapest(case, view) for view in _views(case)], axis=1)
    place, kind = np.divmod(np.unique(np.arange(people)[:, None] * kinds + near), kinds)
    return Pairs(place, kind)


def _cheapest(case: Case, view: View) -> np.ndarray:
    return in_blocks(
        lambda start, end: cheapest_few(view.people[start:end], view.columns, view.costs, LONG),
        len(view.people),
        BLOCK,
    )


def _views(case: Case) -> Iterator[View]:
    """One at a time: they may be large."""
    yield _view(case, ranks=False, compatible=False)
    yield _view(case, ranks=True, compatible=False)
    if any(column.reading is not None or np.isnan(column.released).any() for column in case.columns):
        yield _view(case, ranks=True, compatible=True)


def _view(case: Case, *, ranks: bool, compatible: bool) -> View:
    """Squares of standardised differences or of ranks; of categories their distances, or only whether they can be.

    A blank costs 2, as much as two draws differ by on average, or in the search for what is compatible nothing.
    """
    files = sides(case)
    pairs = [_coordinates(case, column, ranks=ranks) for column in case.columns]
    table = np.where(files.covered, 0.0, CONTRADICTION) if compatible else ABSENT * files.distances
    costs = Costs(
        np.array([RANK_WEIGHT if ranks else 1 / column.spread**2 for column in case.columns]),
        np.full(len(pairs), 0.0 if compatible else ABSENT),
        files.first,
        files.widths,
        table,
    )
    people = np.array([a for a, _ in pairs]).T
    return View(np.ascontiguousarray(people), np.array([b for _, b in pairs]), costs)


def _coordinates(case: Case, column: Column, *, ranks: bool) -> tuple[np.ndarray, np.ndarray]:
    if ranks and column.reading is None:
        return middle_ranks(column.known_ranks[case.people]), middle_ranks(column.released_ranks)
    return column.known[case.people], column.released
