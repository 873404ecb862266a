"""Attribute protection: nodes of a social graph share their location and topics with at least k − 1 others."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, Method, ParameterError, param
from sfumato.data import MISSING, Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.graphs.mixed_profiles import aggregated, mixed_profiles
from sfumato.graphs.profile_columns import ProfileColumns
from sfumato.graphs.profile_distances import Branches, Topics
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.mixed_clusters import mixed_clusters
from sfumato.kernels.profile_clusters import nearest_clusters
from sfumato.kernels.profile_distances import aggregates
from sfumato.kernels.profile_refinement import refine_clusters
from sfumato.kernels.random_draws import seed_from, state_from

NODE = "node"


class AttributeProtection(Method):
    """Clusters of at least k similar profiles, each released with the profile of its cluster; edges stay.

    A node that has no cluster yet is drawn at random, and takes the k − 1 nearest of the others that have
    none; of equally near ones those that differ in fewer topics go first, then chance decides. The last cluster also takes the n mod k nodes that are left
    over. Two profiles are as far apart as the mean of eq. 6.1 over their locations and eq. 6.2 over their
    topics; eq. 6.1 is used both ways, so that a town is as near to its country as the country to the town. With
    `one_way` it is used as printed: a seed is near to the places that it lies in, and at 1 from those that lie in it.

    A cluster releases the closest common ancestor of its locations, and the topics with the most votes by
    Borda's rule: of three topics the first has 3 votes, the second 2, the third 1. The source does not say
    what happens to equal votes: the topic met first in the order of the nodes wins.

    `seeds="farthest"` chooses the seeds as MDAV does: in turn the profile farthest from the aggregate of those
    left, and the one farthest from that. `refine` is an evolution of the clusters: so many times for each node
    one is moved to, or trades places with a member of, a cluster that shares a value with it, and the change
    stays if the profiles are no farther from what their clusters release (which is DBIL).

    `others` are columns of any scale that are protected together with these, so that k nodes are alike in all that is
    released: each adds to the distance as much as location and topics do, numbers and ordered categories
    |difference| / range, categories eq. 6.1 in their hierarchy, or 0 or 1 without one. A cluster releases the mean
    of its numbers, the middle one of its ordered categories, the closest common ancestor of categories with a
    hierarchy, and else the category that most have. Then seeds are far from the seed before, and nothing is refined.

    A missing value is at distance 1 from any and at 0 from another missing one, has no say in the
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
    one_way: bool = param(
        default=False,
        help="a place is near to those it lies in, not to those that lie in it (eq. 6.1 as printed)",
    )
    location: str = param(
        default="location", help="the column of locations, with a hierarchy; empty for none"
    )
    topics: tuple[str, ...] = param(
        default=("topic1", "topic2", "topic3"), help="the columns of topics, the most wanted first"
    )
    others: tuple[str, ...] = param(default=(), help="columns of any scale to protect together with these")

    def check(self) -> None:
        """Refuse a column that is named twice."""
        if len(set(self.attributes)) < len(self.attributes):
            raise ParameterError(
                f"{self.name}: location and topics must be different columns, and so must others."
            )
        if not self.attributes:
            raise ParameterError(f"{self.name}: there is no column to protect. Name one.")
        if self.refine and (self.others or not self.location):
            raise ParameterError(
                f"{self.name}: clusters are refined by location and topics only. Set refine = 0, or leave out others."
            )
        if self.one_way and (self.refine or self.others or not self.location):
            raise ParameterError(
                f"{self.name}: one_way is for clusters of a location and topics that are not refined. Leave it out."
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.columns.names

    @property
    def columns(self) -> ProfileColumns:
        return ProfileColumns(self.location, self.topics, self.others)

    @property
    def _mixed(self) -> bool:
        """Whether there are other columns than a location and topics."""
        return bool(self.others) or not self.location

    def apply(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """The same nodes and edges, with the profiles of their clusters."""
        return self.released(graph, self.clusters(graph, rng))

    def clusters(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """The cluster of each node; all hold at least k."""
        for name in self.attributes:
            graph.nodes.schema[name]  # an unknown column is told first
        if self.location:
            Branches.of(graph.nodes.schema[self.location])
        if graph.n < self.k:
            raise DataError(f"{self.name}: k = {self.k} needs at least {self.k} nodes. Got {graph.n}.")
        order = rng.permutation(graph.n)
        labels = np.empty(graph.n, np.int64)
        if self._mixed:
            records = mixed_profiles(graph.nodes.take(order), self.location, self.topics, self.others)
            labels[order] = mixed_clusters(records, self.k, self.seeds == "farthest")
            return labels
        branches, topics, profiles = self._profiles(graph)
        labels[order] = nearest_clusters(
            profiles[order],
            distinct(list(topics.codes[order].T)).labels if self.topics else np.zeros(graph.n, np.int64),
            branches.paths,
            branches.levels,
            len(topics.names),
            self.k,
            self.seeds == "farthest",
            self.one_way,
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
        columns, attributes = aggregated(graph.nodes, self.others, clusters)
        for found, changed in (self._shared_place(graph, clusters), self._shared_topics(graph, clusters)):
            columns |= found
            attributes += changed
        reasons = dict.fromkeys(
            self.attributes
        )  # why a value is missing would tell members of a cluster apart
        return graph.with_nodes(graph.nodes.replace(columns, attributes, reasons=reasons))

    def _shared_place(
        self, graph: Graph, clusters: np.ndarray
    ) -> tuple[dict[str, np.ndarray], list[Attribute]]:
        return aggregated(graph.nodes, (self.location,), clusters) if self.location else ({}, [])

    def _shared_topics(
        self, graph: Graph, clusters: np.ndarray
    ) -> tuple[dict[str, np.ndarray], list[Attribute]]:
        """Votes by Borda's rule."""
        schema, topics = graph.nodes.schema, Topics.of(graph.nodes, self.topics)
        order = np.argsort(clusters, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(clusters))])
        placeless = np.full((graph.n, 1), MISSING, np.int32)
        profiles = np.ascontiguousarray(np.hstack([placeless, topics.codes]), np.int32)
        found = aggregates(profiles, order, starts, np.zeros((1, 1), np.int32), len(topics.names))[clusters]
        columns, changed = {}, []
        for column, name in enumerate(self.topics, start=1):
            attribute = schema[name]
            if set(topics.names) - set(attribute.categories):
                attribute = attribute.evolve(categories=topics.names)
                changed.append(attribute)
            columns[name] = _codes(found[:, column], topics.names, attribute.categories)
        return columns, changed

    def _profiles(self, graph: Graph) -> tuple[Branches, Topics, np.ndarray]:
        """Location and topics of every node as numbers, side by side."""
        branches = Branches.of(graph.nodes.schema[self.location])
        topics = Topics.of(graph.nodes, self.topics)
        places = graph.nodes[self.location].astype(np.int32)
        return branches, topics, np.ascontiguousarray(np.column_stack([places, topics.codes]), np.int32)


def without_columns(graph: Graph) -> Graph:
    """The structure alone: of the nodes nothing but their numbers, in the column `node`."""
    node = Attribute(name=NODE, scale="numeric", role="identifier", storage="integer", decimals=0)
    return graph.with_nodes(Table(Schema([node]), {NODE: np.arange(graph.n)}))


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
