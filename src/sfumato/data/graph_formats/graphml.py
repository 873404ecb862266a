"""GraphML, which says itself whether edges have a direction, and carries the schema of the nodes.

Attributes are written with their types, and the schema as the description of the file. Keys are called a0, a1, …: Gephi takes some other names, such as d3, for something of its own.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError
from sfumato.data.arrow_columns import as_text
from sfumato.data.csv_options import CsvOptions
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import column, node_names
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.graph_formats._graphml_reader import SCHEMA_MARK, read_graphml
from sfumato.data.schema import Schema

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
TAIL = "</graph>\n</graphml>\n"
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
LARGEST_INT = 2**31 - 1


class Graphml(GraphFormat):
    """Graphs as XML."""

    suffixes = (".graphml", ".xml")
    carries_schema = True

    def read(
        self, files: Sequence[Path], *, schema: Schema | None, directed: bool, options: CsvOptions | None
    ) -> Graph:
        """Without a schema, the one it carries or else the proposal from its values is used."""
        return read_graphml(files[0], schema)

    def write(self, graph: Graph, files: Sequence[Path], options: CsvOptions | None) -> None:
        """A missing value is an absent one."""
        columns = {a.name: column(graph.nodes, a) for a in graph.nodes.schema}
        texts = {name: _escaped(name, values) for name, values in columns.items()}
        schema = SCHEMA_MARK + graph.nodes.schema.to_toml()
        if UNWRITABLE.search(schema + "".join(columns)):
            raise DataError("The schema holds a control character, which GraphML cannot express; remove it.")
        ids = [quoteattr(name) for name in node_names(graph)]
        with files[0].open("w", encoding="utf-8", newline="\n") as file:
            file.write(HEAD)
            file.write(f"<desc>{_text(schema)}</desc>\n")
            for number, (name, values) in enumerate(columns.items()):
                file.write(
                    f'<key id="a{number}" for="node" attr.name={quoteattr(name)} attr.type="{_kind(values)}"/>\n'
                )
            file.write(f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n')
            file.writelines(_nodes(ids, list(texts.values())))
            file.writelines(
                f"<edge source={ids[source]} target={ids[target]}/>\n"
                for source, target in graph.edges.tolist()
            )
            file.write(TAIL)


def _nodes(ids: list[str], columns: list[list[str | None]]) -> Iterator[str]:
    marks = [f'<data key="a{number}">' for number in range(len(columns))]
    rows = zip(*columns, strict=True) if columns else iter([()] * len(ids))
    for name, row in zip(ids, rows, strict=True):
        data = "".join(
            f"{mark}{text}</data>" for mark, text in zip(marks, row, strict=True) if text is not None
        )
        yield f"<node id={name}>{data}</node>\n"


def _kind(values: pa.Array) -> str:
    kind = values.type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        largest = pc.max(pc.abs(values)).as_py() or 0
        return "int" if largest <= LARGEST_INT else "long"
    return "double" if pa.types.is_floating(kind) else "string"


def _escaped(name: str, values: pa.Array) -> list[str | None]:
    """The texts of a column as XML; each different one is looked at once."""
    texts = as_text(values).dictionary_encode()
    spelled = [_text(text) for text in texts.dictionary.to_pylist()]
    if any(UNWRITABLE.search(text) for text in spelled):
        raise DataError(
            f"Column {name}: a value holds a control character, which GraphML cannot express; remove it."
        )
    return [None if code is None else spelled[code] for code in texts.indices.to_pylist()]


def _text(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
