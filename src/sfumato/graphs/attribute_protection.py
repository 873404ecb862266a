"""Attribute protection: nodes of a social graph share their location and topics with at least k − 1 others."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, Method, ParameterError, param
from sfumato.data.graph import Graph
from sfumato.graphs.profile_distances import Branches, Topics, with_places
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.profile_clusters import nearest_clusters
from sfumato.kernels.profile_distances import aggregates
from sfumato.kernels.profile_refinement import refine_clusters
from sfumato.kernels.random_draws import seed_from, state_from


class AttributeProtection(Method):
    """Clusters of at least k similar profiles, each released with the profile of its cluster; edges stay.

    A node that has no cluster yet is drawn at random, and takes the k − 1 nearest of the others that have
    none; of equally near ones those that differ in fewer topics go first, then chance decides. The last cluster also takes the n mod k nodes that are left
    over. Two profiles are as far apart as the mean of eq. 6.1 over their locations and eq. 6.2 over their
    topics; eq. 6.1 is used both ways, so that a town is as near to its country as the country to the town.

    A cluster releases the closest common ancestor of its locations, and the topics with the most votes by
    Borda's rule: of three topics the first has 3 votes, the second 2, the third 1. The source does not say
    what happens to equal votes: the topic met first in the order of the nodes wins.

    `seeds="farthest"` chooses the seeds as MDAV does: in turn the profile farthest from the aggregate of those
    left, and the one farthest from that. `refine` is an evolution of the clusters: so many times for each node
    one is moved to, or trades places with a member of, a cluster that shares a value with it, and the change
    stays if the profiles are no farther from what their clusters release (which is DBIL).

    A missing location or topic is at distance 1 from any and at 0 from another missing one, has no say in the
    aggregate, and takes the value of its cluster: so every released profile is shared by k nodes or more.

    Source: Algorithms 13 and 14 of Marés, *thesis*, ch. 6.

    >>> from sfumato.data import Attribute, Hierarchy, Schema, Table
    >>> tree = Hierarchy((("Brooklyn", "New York"), ("Queens", "New York"), ("New York", "New York")))
    >>> schema = Schema([
    ...     Attribute(name="location", scale="nominal", categories=tree.leaves, hierarchy=tree),
    ...     Attribute(name="topic1", scale="nominal", categories=("health", "sports"))])
    >>> people = Table(schema, {"location": np.int8([0, 1, 0, 0]), "topic1": np.int8([0, 0, 1, 1])})
    >>> released = AttributeProtection(k=2, topics=("topic1",)).apply(
    ...     Graph(people, [(0, 1), (1, 2)]), np.random.default_rng(1))
    >>> released.nodes.to_arrow().to_pydict()["location"]
    ['New York', 'New York', 'Brooklyn', 'Brooklyn']
    """

    k_anonymous: ClassVar[bool] = True
    for_users: ClassVar[Advice] = Advice(
        done="People with similar profiles were put into small groups, and all have the profile of "
        "their group: the closest place that holds theirs, and the topics they share most.",
        effect="Places are coarser, and frequent topics more frequent than they were; the profile is "
        "that of a group and not of a person.",
        remedy="Analyse places at the coarser level and topics over many people; do not interpret the "
        "profile of one person, or rare topics.",
    )

    k: int = param(default=5, low=1, help="smallest number of nodes in a cluster")
    seeds: str = param(default="random", choices=("random", "farthest"), help="where clusters begin")
    refine: int = param(default=0, low=0, high=10_000, help="moves to try per node to improve the clusters")
    location: str = param(default="location", help="the column of locations, with a hierarchy")
    topics: tuple[str, ...] = param(
        default=("topic1", "topic2", "topic3"), help="the columns of topics, the most wanted first"
    )

    def check(self) -> None:
        """Refuse a column that is named twice."""
        if len({self.location, *self.topics}) <= len(self.topics):
            raise ParameterError(f"{self.name}: location and topics must be different columns.")

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.location, *self.topics)

    def apply(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """The same nodes and edges, with the profiles of their clusters."""
        return self.released(graph, self.clusters(graph, rng))

    def clusters(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """The cluster of each node; all hold at least k."""
        branches, topics, profiles = self._profiles(graph)
        if graph.n < self.k:
            raise DataError(f"{self.name}: k = {self.k} needs at least {self.k} nodes. Got {graph.n}.")
        order = rng.permutation(graph.n)
        labels = np.empty(graph.n, np.int64)
        labels[order] = nearest_clusters(
            profiles[order],
            distinct(list(topics.codes[order].T)).labels if self.topics else np.zeros(graph.n, np.int64),
            branches.paths,
            branches.levels,
            len(topics.names),
            self.k,
            self.seeds == "farthest",
        )
        if self.refine and self.k > 1:
            alike, ranges = _alike(profiles)
            state = state_from(seed_from(rng))
            refine_clusters(
                profiles,
                branches.paths,
                branches.levels,
                len(topics.names),
                labels,
                self.k,
                alike,
                ranges,
                state,
                self.refine * graph.n,
            )
        return labels

    def released(self, graph: Graph, clusters: np.ndarray) -> Graph:
        """The graph in which every node has the profile of its cluster."""
        branches, topics, profiles = self._profiles(graph)
        order = np.argsort(clusters, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(clusters))])
        found = aggregates(profiles, order, starts, branches.paths, len(topics.names))[clusters]
        schema = graph.nodes.schema
        changed = {self.location: with_places(schema[self.location], branches, found[:, 0])}
        columns = {self.location: _codes(found[:, 0], branches.names, changed[self.location].categories)}
        for column, name in enumerate(self.topics, start=1):
            if set(topics.names) - set(schema[name].categories):
                changed[name] = schema[name].evolve(categories=topics.names)
            domain = changed.get(name, schema[name]).categories
            columns[name] = _codes(found[:, column], topics.names, domain)
        return graph.with_nodes(graph.nodes.replace(columns, changed.values()))

    def _profiles(self, graph: Graph) -> tuple[Branches, Topics, np.ndarray]:
        """Location and topics of every node as numbers, side by side."""
        branches = Branches.of(graph.nodes.schema[self.location])
        topics = Topics.of(graph.nodes, self.topics)
        places = graph.nodes[self.location].astype(np.int32)
        return branches, topics, np.ascontiguousarray(np.column_stack([places, topics.codes]), np.int32)


def _codes(numbers: np.ndarray, names: tuple[str, ...], categories: tuple[str, ...]) -> np.ndarray:
    """Numbers of names as codes into categories, in which all that occur are found; −1 stays."""
    codes = {name: code for code, name in enumerate(categories)}
    return np.array([*(codes.get(name, -1) for name in names), -1]).take(numbers)


def _alike(profiles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each column the nodes by value, and where among them those with the value of each node are."""
    order = np.argsort(profiles.T, axis=1, kind="stable")
    columns = list(zip(profiles.T, order, strict=True))
    first = [np.searchsorted(column[at], column, "left") for column, at in columns]
    end = [np.searchsorted(column[at], column, "right") for column, at in columns]
    return order, np.stack([np.array(first), np.array(end)], axis=2)
