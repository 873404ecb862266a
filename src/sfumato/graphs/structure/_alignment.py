"""Alignments: neighbourhoods laid over each other, and the edges that make them alike."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.neighbourhoods import Code, code_of, components, induced, neighbour_sets


class Workshop:
    """A graph whose edges change, with the code of every node's neighbourhood kept up to date."""

    def __init__(self, graph: Graph, rng: np.random.Generator) -> None:
        self.sets = neighbour_sets(graph)
        self.everybody = set(range(graph.n))
        self.chance = rng.permutation(graph.n).tolist()
        self.codes: list[Code] = [code_of(self.sets, node) for node in range(graph.n)]
        self.classes: defaultdict[Code, set[int]] = defaultdict(set)
        for node, code in enumerate(self.codes):
            self.classes[code].add(node)

    @property
    def m(self) -> int:
        return sum(map(len, self.sets)) // 2

    def degree(self, node: int) -> int:
        return len(self.sets[node])

    def rarer_than(self, k: int) -> set[int]:
        """The nodes whose neighbourhood fewer than k nodes have."""
        return {node for alike in self.classes.values() if len(alike) < k for node in alike}

    def models(self, k: int, degree: int) -> set[int]:
        """One node for each anonymous class of nodes with at least so many neighbours."""
        return {
            min(alike)
            for alike in self.classes.values()
            if len(alike) >= k and self.degree(next(iter(alike))) >= degree
        }

    def nearest(self, node: int, others: set[int], count: int) -> list[int]:
        """So many of the others that are most like a node in degree and in edges among neighbours."""
        degree, inner = self.degree(node), self._inner(node)

        def apart(other: int) -> tuple[int, int]:
            far = degree * abs(self.degree(other) - degree) + abs(self._inner(other) - inner)
            return far, self.chance[other]

        return sorted(others, key=apart)[:count]

    def outsider(self, node: int, pending: set[int], avoided: set[int]) -> int | None:
        """A node that becomes a neighbour: with few ties to the other neighbours, not yet anonymous, of low degree."""
        around = self.sets[node]
        free = self.everybody - around - {node}
        return min(
            free,
            key=lambda other: (
                other in avoided,
                len(self.sets[other] & around),
                self.degree(other),
                other not in pending,
                self.chance[other],
            ),
            default=None,
        )

    def join(self, a: int, b: int) -> set[int]:
        """Add an edge; the answer are the nodes whose neighbourhood it changes."""
        self.sets[a].add(b)
        self.sets[b].add(a)
        return {a, b, *(self.sets[a] & self.sets[b])}

    def cut(self, a: int, b: int) -> set[int]:
        """Remove an edge, if it is there; the answer are the nodes whose neighbourhood that changes."""
        self.sets[a].discard(b)
        self.sets[b].discard(a)
        return {a, b, *(self.sets[a] & self.sets[b])}

    def recode(self, changed: set[int]) -> None:
        """Bring the codes of changed nodes up to date."""
        for node in changed:
            self.classes[self.codes[node]].discard(node)
            if not self.classes[self.codes[node]]:
                del self.classes[self.codes[node]]
            self.codes[node] = code_of(self.sets, node)
            self.classes[self.codes[node]].add(node)

    def edges(self) -> np.ndarray:
        pairs = [(a, b) for a, near in enumerate(self.sets) for b in sorted(near) if a < b]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def _inner(self, node: int) -> int:
        return sum(len(edges) for _, edges in self.codes[node])


@dataclass(frozen=True)
class Changes:
    """Which changes are allowed."""

    adds: bool = True
    removes: bool = True


class Alignment:
    """The neighbourhoods of some nodes over each other, as slots that each node's neighbours fill.

    What all are to look like: the first of them, if it leads; else they have the edges that any of them has
    (where nothing may be removed) or that all of them have.
    """

    def __init__(self, shop: Workshop, members: list[int], changes: Changes, *, leads: bool = False) -> None:
        self.shop, self.members, self.changes = shop, members, changes
        self.slots: dict[int, set[int]] = {}
        around = [induced(shop.sets, shop.sets[member]) for member in members]
        self.filled = [self._fitted(graph) for graph in around]
        own = [_edges(graph, places) for graph, places in zip(around, self.filled, strict=True)]
        joint = [set(places) for places in self.filled]
        if leads:
            self.wanted, self.edges = joint[0], own[0]
        else:
            self.wanted = set.union(*joint) if changes.adds else set.intersection(*joint)
            self.edges = set.intersection(*own) if changes.removes else set.union(*own)
        parts = list(zip(own, joint, strict=True))
        self.cost = sum(len(edges ^ self.edges) + len(slots ^ self.wanted) for edges, slots in parts)
        self.allowed = changes.removes or all(e <= self.edges and j <= self.wanted for e, j in parts)

    def lay(self, pending: set[int]) -> None:
        """Make each neighbourhood look as wanted."""
        changed: set[int] = set()
        for member, places in zip(self.members, self.filled, strict=True):
            changed |= self._with_neighbours(member, places, pending)
            for a, b in combinations(sorted(self.wanted & places.keys()), 2):
                changed |= self._with_edge(places[a], places[b], wanted=(a, b) in self.edges)
        self.shop.recode(changed)

    def _with_neighbours(self, member: int, places: dict[int, int], pending: set[int]) -> set[int]:
        changed: set[int] = set()
        for slot in sorted(self.wanted - places.keys()):
            new = self.shop.outsider(member, pending, set(self.members))
            if new is None:  # what was done for other members has made everybody a neighbour
                break
            places[slot] = new
            changed |= self.shop.join(member, new)
        for slot in places.keys() - self.wanted:
            changed |= self.shop.cut(member, places[slot])
        return changed

    def _with_edge(self, a: int, b: int, *, wanted: bool) -> set[int]:
        there = b in self.shop.sets[a]
        if wanted and not there and self.changes.adds:
            return self.shop.join(a, b)
        if there and not wanted and self.changes.removes:
            return self.shop.cut(a, b)
        return set()

    def _fitted(self, around: dict[int, set[int]]) -> dict[int, int]:
        """Which neighbour fills which slot; the slots take over edges that only the neighbours have."""
        places, left = self._equal_parts(around)
        open_slots = sorted(self.slots.keys() - places.keys(), key=lambda slot: -len(self.slots[slot]))
        for vertex in sorted(left, key=lambda v: -len(around[v])):
            slot = open_slots.pop(0) if open_slots else len(self.slots)
            self.slots.setdefault(slot, set())
            places[slot] = vertex
        slot_of = {vertex: slot for slot, vertex in places.items()}
        for vertex, near in around.items():
            self.slots[slot_of[vertex]] |= {slot_of[other] for other in near}
        return places

    def _equal_parts(self, around: dict[int, set[int]]) -> tuple[dict[int, int], list[int]]:
        waiting = defaultdict(list)
        for code, order in components(self.slots):
            waiting[code].append(order)
        places: dict[int, int] = {}
        left: list[int] = []
        for code, order in components(around):
            if waiting[code]:
                places.update(zip(waiting[code].pop(), order, strict=True))
            else:
                left += order
        return places, left


def _edges(around: dict[int, set[int]], places: dict[int, int]) -> set[tuple[int, int]]:
    slot_of = {vertex: slot for slot, vertex in places.items()}
    pairs = ((slot_of[v], slot_of[w]) for v, near in around.items() for w in near)
    return {(a, b) for a, b in pairs if a < b}
