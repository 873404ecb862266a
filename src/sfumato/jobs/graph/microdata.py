"""Write the degree and the attributes of the nodes as a table."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from sfumato.core import param
from sfumato.data import WRITABLE, Table, schema_beside
from sfumato.data.graph import Graph
from sfumato.graphs.microdata import microdata
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Outcome
from sfumato.jobs._paths import output_file
from sfumato.jobs._work import Work
from sfumato.jobs.graph._graph_file import OneGraph


class GraphMicrodata(OneGraph):
    """Write one record per node of GRAPH: its degree, and its attributes without identifiers.

    Adding the degree can tell nodes apart that were alike: protect the table as any other before it is released.
    Its schema is written beside it as STEM.schema.toml.

    >>> GraphMicrodata(graph="people.graphml", output="people.csv", attributes=["location"]).spec()
    {'job': 'graph microdata', 'output': 'people.csv', 'attributes': ['location'], 'graph': 'people.graphml'}

    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"id": range(8), "town": ["Reus", "Soria"] * 4})  # two frames, or a `Graph`
    >>> friends = pd.DataFrame({"source": [0, 0, 1, 2, 3, 4, 5], "target": [1, 2, 2, 3, 4, 5, 6]})
    >>> sfumato.microdata_graph((people, friends)).table.to_arrow().to_pandas().columns.tolist()
    ['degree', 'town']
    """

    output: Path | None = output_file("where to write the table; its suffix says the format", WRITABLE)
    attributes: tuple[str, ...] = param(
        default=(), word="NAME", help="attributes to take", usual="all but identifiers"
    )

    def targets(self) -> dict[str, Path]:
        return {} if self.output is None else {"output": self.output, "schema": schema_beside(self.output)}

    def run(self, graph: Graph, *, work: Work) -> "NodeTable":
        table = microdata(graph, self.attributes or None)
        return NodeTable(job=self, records=table.n, columns=table.names, table=table)


class NodeTable(Outcome):
    """The nodes of a graph as records."""

    records: int
    columns: tuple[str, ...]
    table: Table = field(repr=False)

    def contents(self) -> Mapping[str, Content]:
        return {"output": self.table, "schema": self.table.schema.to_toml()}

    def told(self) -> Iterator[str]:
        where = self.job.output if isinstance(self.job, GraphMicrodata) else "The table"
        yield f"{where}: {self.records:,} records with {', '.join(self.columns)}."
