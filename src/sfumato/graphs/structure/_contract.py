"""What methods for the structure of graphs do: make a graph with the same nodes and other edges."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, DataError, Method
from sfumato.data.graph import Graph


class StructureMethod(Method, ABC):
    """Changes edges so that nodes can no longer be told apart by them; attributes stay as they are.

    `for_users` is what the users of a released graph are told of it.
    """

    registered_in: ClassVar[str] = "structure"
    noun: ClassVar[str] = "a method for the structure such as k_degree(k=5)"
    takes_directed: ClassVar[bool] = False
    for_users: ClassVar[Advice] = Advice(
        done="Links were changed.",
        effect="They may differ from what was collected.",
        remedy="Ask the producer of the graph what the method does to an analysis before relying on it.",
    )

    @property
    def advice(self) -> Advice:
        """What the users of a released graph are told of it with these parameters."""
        return self.for_users

    def apply(self, graph: Graph, rng: np.random.Generator) -> Graph:
        if graph.directed and not self.takes_directed:
            raise DataError(
                f"{self.name} protects undirected graphs. Got a directed one: "
                "Graph(graph.nodes, graph.edges) drops the directions."
            )
        return graph.with_edges(self.protected_edges(graph, rng))

    @abstractmethod
    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """The edges of the protected graph, as pairs of nodes."""

    def enough_nodes(self, graph: Graph, k: int) -> None:
        """Refuse a graph in which no k nodes can be alike."""
        if graph.n < k:
            raise DataError(f"{self.name}: k = {k} needs as many nodes. Got {graph.n}: choose a smaller k.")
