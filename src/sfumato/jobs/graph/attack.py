"""Find the people of a protected graph as an intruder would, and say how often that works beside a guess."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sfumato.attacks import AttackResult, DistanceLinkage, LearnedLinkage, rate_of, wilson
from sfumato.core import DataError, Seed, param, progress, stream
from sfumato.data.graph import Graph
from sfumato.graphs.profile_columns import USUAL, ProfileColumns
from sfumato.graphs.seed_propagation import best_known, propagated
from sfumato.graphs.surroundings import surroundings
from sfumato.jobs._job import Listing
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._work import Work
from sfumato.jobs.attack import Attacks
from sfumato.jobs.graph._two_graphs import TwoGraphs

SEEDS = 20
FEWEST = 10  # nodes for each that is known, at least
SURROUNDINGS, LEARNED, PROPAGATION = "surroundings", "learned", "propagation"


class GraphAttack(TwoGraphs, Seeded):
    """Attack PROTECTED as three intruders who know ORIGINAL; its nodes are the same ones in the same order.

    The first knows of everybody the values, the degree, how well the neighbours know each other, and the degrees and
    values of these, and takes the most similar node. The second also knows where a tenth of the people are, and learns
    from them what to trust. The third knows where a few people are, and goes from neighbour to neighbour. A guess
    finds one node of all; a control does the same where nothing links the graphs.

    >>> GraphAttack(original="people.graphml", protected="safe.graphml", seeds=50).spec()
    {'job': 'graph attack', 'seeds': 50, 'original': 'people.graphml', 'protected': 'safe.graphml'}

    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})  # two frames, or a `Graph`
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> sfumato.attack_graph((people, friends), (people, friends), seed=1).to_frame().num_rows > 0
    True
    """

    seeds: int = param(
        default=SEEDS,
        low=1,
        help="people of whom the third intruder knows where they are: those with most neighbours; a tenth of all at most",
    )

    def run(self, original: Graph, protected: Graph, *, work: Work) -> "GraphAttacks":
        columns = self.profile_in(original, protected)
        return replace(attack_graph(original, protected, columns, seeds=self.seeds, seed=self.seed), job=self)


class GraphAttacks(Attacks):
    """What each intruder found."""

    @property
    def led_to(self) -> float:
        """The percentage of people whom a few known ones lead to, beyond a guess and chance."""
        return max(_beyond(one) for name, one in self.results.items() if one.name == PROPAGATION)

    def told(self) -> Iterator[str | Listing]:
        yield from super().told()
        for name, one in self.results.items():
            yield f"{name}: {_beyond(one):.1f} % of the people are found beyond a guess."


def _beyond(one: AttackResult) -> float:
    return max(one.attack.value - max(one.baseline.value, one.control.value), 0.0)


def attack_graph(
    original: Graph,
    protected: Graph,
    columns: ProfileColumns = USUAL,
    *,
    seeds: int = SEEDS,
    seed: Seed = 0,
) -> GraphAttacks:
    """Attack a protected graph, whose nodes are those of the original in the same order.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> attack_graph(graph, graph).results["surroundings"].attack.value > 90
    True
    """
    if original.n != protected.n:
        raise DataError(f"Both graphs must have the same nodes. Got {original.n} and {protected.n}.")
    names = columns.within(protected.nodes.names).names
    known, seen = surroundings(original, names), surroundings(protected, names)
    results = {}
    with progress.task("Attacking", 3) as work:
        for name, method in ((SURROUNDINGS, DistanceLinkage()), (LEARNED, LearnedLinkage(fraction=0.1))):
            results[name] = method.run(seen, known, stream(seed, "graph attack", name))
            work.advance()
        few = min(seeds, max(original.n // FEWEST, 1))
        results[f"{few} people known"] = _propagation(original, protected, few, stream(seed, "propagation"))
        work.advance()
    return GraphAttacks(results=results, records=original.n)


def _propagation(original: Graph, protected: Graph, seeds: int, rng: np.random.Generator) -> AttackResult:
    """The seeds themselves do not count: what they lead to does."""
    known, nodes = best_known(original, seeds), np.arange(original.n)
    elsewhere = protected.take(rng.permutation(protected.n))  # where node i is anybody
    outcomes, control = (
        np.where(np.isin(nodes, known), np.nan, propagated(original, graph, known, rng) == nodes)
        for graph in (protected, elsewhere)
    )
    tried = original.n - len(known)
    return AttackResult(
        name=PROPAGATION,
        attack=rate_of(outcomes),
        baseline=wilson(tried / original.n, tried),
        control=rate_of(control),
        outcomes=outcomes,
    )
