"""What the jobs share that hold a protected graph against the original one."""

from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import DataError, param
from sfumato.data.graph import Graph
from sfumato.jobs._order import Order, found_order, order_file
from sfumato.jobs._work import Work
from sfumato.jobs.graph._graph_file import stated
from sfumato.jobs.graph._profiles import Profiles


class TwoGraphs(Profiles):
    """A job on a graph and on what it became."""

    data: ClassVar[tuple[str, ...]] = ("original", "protected")
    original: Path | None = param(default=None, help="the original graph", argument=True, needed=True)
    protected: Path | None = param(default=None, help="the protected graph", argument=True, needed=True)
    protected_nodes: Path | None = param(
        default=None, help="the table of the nodes, where PROTECTED is a table of edges"
    )
    protected_schema: Path | None = param(
        default=None, word="FILE.toml", help="what the columns of the protected graph are", usual="its own"
    )

    order: Path | None = order_file("PROTECTED")

    def read(self, work: Work, **given: Any) -> tuple[Graph, Graph]:
        own = {"original": (self.nodes, "schema"), "protected": (self.protected_nodes, "protected_schema")}
        before, after = (
            self.graph_of(
                given.get(name, getattr(self, name)), nodes, stated(given.get(key, getattr(self, key)))
            )
            for name, (nodes, key) in own.items()
        )
        order = found_order(self.order, given.get("protected", self.protected))
        return before, after if order is None else _in_order_of(before, after, order)


def _in_order_of(before: Graph, after: Graph, order: Order) -> Graph:
    if len(order.rows) != after.n or after.n != before.n:
        raise DataError(
            f"The order is that of {len(order.rows)} nodes, and the protected graph has {after.n}: "
            "give the order of this graph."
        )
    return after.take(order.back())
