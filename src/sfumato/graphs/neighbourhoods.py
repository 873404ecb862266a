"""Neighbourhoods of nodes, and a code that two of them share exactly if they are isomorphic."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sfumato.data.graph import Graph

Adjacency = Sequence[set[int]] | Mapping[int, set[int]]
Component = tuple[int, tuple[tuple[int, int], ...]]
"""The size of a connected graph, and its edges between the vertices in canonical order."""
Code = tuple[Component, ...]


def neighbour_sets(graph: Graph) -> list[set[int]]:
    """The neighbours of each node; directions are ignored."""
    sets: list[set[int]] = [set() for _ in range(graph.n)]
    for a, b in graph.edges.tolist():
        sets[a].add(b)
        sets[b].add(a)
    return sets


def neighbourhood_classes(graph: Graph) -> np.ndarray:
    """A number for each node, the same for two nodes exactly if their 1-neighbourhoods are isomorphic.

    The 1-neighbourhood of a node is the graph of its neighbours and the edges among them. A graph is
    k-neighbourhood anonymous if each class has at least k nodes.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45, 27]}))
    >>> neighbourhood_classes(Graph(people, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])).tolist()
    [0, 0, 1, 2, 3]
    """
    sets = neighbour_sets(graph)
    known: dict[Code, int] = {}
    return np.array([known.setdefault(code_of(sets, node), len(known)) for node in range(graph.n)], np.int64)


def code_of(sets: Adjacency, node: int) -> Code:
    return tuple(sorted(component for component, _ in components(induced(sets, sets[node]))))


def induced(sets: Adjacency, vertices: Iterable[int]) -> dict[int, set[int]]:
    """The graph of some vertices and the edges among them."""
    chosen = set(vertices)
    return {v: sets[v] & chosen for v in sorted(chosen)}


def components(graph: dict[int, set[int]]) -> list[tuple[Component, list[int]]]:
    """The code of each connected part, with its vertices in the canonical order."""
    found, unseen = [], set(graph)
    for start in graph:
        if start in unseen:
            part, todo = {start}, [start]
            while todo:
                fresh = graph[todo.pop()] - part
                part |= fresh
                todo += fresh
            unseen -= part
            edges, order = _canonical(graph, dict.fromkeys(sorted(part), 0))
            found.append(((len(part), edges), order))
    return found


Labelled = tuple[tuple[tuple[int, int], ...], list[int]]


def _canonical(graph: dict[int, set[int]], colours: dict[int, int]) -> Labelled:
    """The least code over all orders of the vertices that refinement cannot rule out.

    Vertices are coloured by the colours around them until nothing changes. Where some still share a colour,
    each of them in turn is set apart. One is left out if another has the same neighbours, or if its first
    complete order gives the same code: then a symmetry of the graph leads from one to the other.
    """
    colours = _refined(graph, colours)
    cell = _first_cell(colours)
    if not cell:
        return _labelled(graph, colours)
    first, *others = _without_twins(graph, cell)
    best = _canonical(graph, _apart(colours, first))
    shown = _first_leaf(graph, _apart(colours, first)) if others else None
    for vertex in others:
        if _first_leaf(graph, _apart(colours, vertex)) != shown:
            best = min(best, _canonical(graph, _apart(colours, vertex)))
    return best


def _first_leaf(graph: dict[int, set[int]], colours: dict[int, int]) -> tuple[tuple[int, int], ...]:
    colours = _refined(graph, colours)
    while cell := _first_cell(colours):
        colours = _refined(graph, _apart(colours, cell[0]))
    return _labelled(graph, colours)[0]


def _refined(graph: dict[int, set[int]], colours: dict[int, int]) -> dict[int, int]:
    count = 0
    while True:
        seen = {v: (colour, tuple(sorted([colours[w] for w in graph[v]]))) for v, colour in colours.items()}
        ranks = {signature: rank for rank, signature in enumerate(sorted(set(seen.values())))}
        colours = {v: ranks[signature] for v, signature in seen.items()}
        if len(ranks) == count:
            return colours
        count = len(ranks)


def _first_cell(colours: dict[int, int]) -> list[int]:
    """The vertices of the lowest colour that several share; none where all differ."""
    cells: dict[int, list[int]] = {}
    for v, colour in colours.items():
        cells.setdefault(colour, []).append(v)
    return next((cells[colour] for colour in sorted(cells) if len(cells[colour]) > 1), [])


def _without_twins(graph: dict[int, set[int]], cell: list[int]) -> list[int]:
    kept: dict[frozenset[int], int] = {}
    for v in cell:
        around, whole = frozenset(graph[v]), frozenset(graph[v] | {v})
        if around not in kept and whole not in kept:
            kept[around] = kept[whole] = v
    return list(dict.fromkeys(kept.values()))


def _apart(colours: dict[int, int], vertex: int) -> dict[int, int]:
    return {v: 2 * colour + (v != vertex) for v, colour in colours.items()}


def _labelled(graph: dict[int, set[int]], colours: dict[int, int]) -> Labelled:
    order = sorted(colours, key=colours.__getitem__)
    place = {v: i for i, v in enumerate(order)}
    edges = sorted((place[v], place[w]) for v in order for w in graph[v] if place[v] < place[w])
    return tuple(edges), order
