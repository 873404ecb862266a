"""Equations as a population of trees: how they grow, how two exchange branches, how a branch grows anew.

The depth of a tree counts its levels: a single quantity has one.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sfumato.masking.matrices.equations import STRENGTH, TERMINALS, Equation
from sfumato.search.matrices.simplification import simplified

__all__ = ["Equation", "Node", "crossed", "full", "grown", "half_and_half", "mutated", "nodes", "simplified"]

OPERATORS = tuple(STRENGTH)
GROWING = len(OPERATORS) / (len(OPERATORS) + len(TERMINALS))  # all symbols alike
PATIENCE = 50  # draws before an equation that is there already is taken again


class Node(NamedTuple):
    """A place in a tree: the turns that lead there, its level from 1, and the branch that begins there."""

    path: tuple[int, ...]
    level: int
    branch: Equation


def nodes(equation: Equation, path: tuple[int, ...] = ()) -> Iterator[Node]:
    """All places of a tree, from the root.

    >>> [(node.level, str(node.branch)) for node in nodes(Equation.parse("N - freq_i"))]
    [(1, 'N - freq_i'), (2, 'N'), (2, 'freq_i')]
    """
    yield Node(path, len(path) + 1, equation)
    for turn, part in enumerate(equation.operands):
        yield from nodes(part, (*path, turn))


def replaced(equation: Equation, path: tuple[int, ...], branch: Equation) -> Equation:
    """The tree with another branch at a place.

    >>> str(replaced(Equation.parse("N - freq_i"), (1,), Equation.parse("N * freq_j")))
    'N - N * freq_j'
    """
    if not path:
        return branch
    operands = list(equation.operands)
    operands[path[0]] = replaced(operands[path[0]], path[1:], branch)
    return Equation(equation.symbol, tuple(operands))


def full(levels: int, rng: np.random.Generator) -> Equation:
    """A tree with operators on all levels but the last."""
    if levels == 1:
        return Equation(TERMINALS[rng.integers(len(TERMINALS))])
    return Equation(_operator(rng), (full(levels - 1, rng), full(levels - 1, rng)))


def grown(levels: int, rng: np.random.Generator) -> Equation:
    """A tree of at most so many levels, whose branches end anywhere; the root is an operator if it can be."""
    if levels == 1:
        return full(1, rng)
    return Equation(_operator(rng), (_branch(levels - 1, rng), _branch(levels - 1, rng)))


def _branch(levels: int, rng: np.random.Generator) -> Equation:
    return grown(levels, rng) if levels > 1 and rng.random() < GROWING else full(1, rng)


def _operator(rng: np.random.Generator) -> str:
    return OPERATORS[rng.integers(len(OPERATORS))]


def half_and_half(count: int, levels: int, rng: np.random.Generator) -> list[tuple[str, Equation]]:
    """So many trees, each with how it was made: half of them full, half grown, of all depths from 2 on.

    Trees whose simplest forms are the same count once, as long as others are found.

    >>> made = half_and_half(6, 3, np.random.default_rng(1))
    >>> [way for way, _ in made], max(equation.depth for _, equation in made)
    (['full', 'grown', 'full', 'grown', 'full', 'grown'], 3)
    """
    found: list[tuple[str, Equation]] = []
    seen: set[Equation] = set()
    depths = range(min(2, levels), levels + 1)
    for number in range(count):
        depth = depths[number // 2 % len(depths)]
        for _ in range(PATIENCE):
            equation = (grown if number % 2 else full)(depth, rng)
            if simplified(equation) not in seen:
                break
        seen.add(simplified(equation))
        found.append(("grown" if number % 2 else "full", equation))
    return found


def mutated(equation: Equation, levels: int, rng: np.random.Generator) -> Equation:
    """Subtree mutation: a branch gives way to a new one of any depth that there is room for."""
    places = list(nodes(equation))
    place = places[rng.integers(len(places))]
    room = int(rng.integers(1, levels - place.level + 2))
    return replaced(equation, place.path, grown(room, rng))


def crossed(
    one: Equation, other: Equation, levels: int, rng: np.random.Generator
) -> tuple[Equation, Equation]:
    """Tree crossover: two branches change places, of all pairs that leave both trees within their levels."""
    ours, theirs = list(nodes(one)), list(nodes(other))
    fits = _room(ours, theirs, levels) & _room(theirs, ours, levels).T
    fits[0, 0] = False  # whole trees that change places are no new ones
    pairs = np.argwhere(fits)
    if not len(pairs):
        return one, other
    i, j = pairs[rng.integers(len(pairs))]
    mine, yours = ours[i], theirs[j]
    return replaced(one, mine.path, yours.branch), replaced(other, yours.path, mine.branch)


def _room(places: list[Node], branches: list[Node], levels: int) -> np.ndarray:
    """Whether a branch fits at a place: places by branches."""
    above = np.array([place.level - 1 for place in places])
    depths = np.array([node.branch.depth for node in branches])
    fits: np.ndarray = above[:, None] + depths <= levels
    return fits
