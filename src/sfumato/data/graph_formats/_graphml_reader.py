"""The reader of GraphML: graphs as XML, piece by piece, with typed attributes of the nodes.

Attributes of edges are not kept, and a note says so. Nested graphs, hyperedges and edges whose direction differs
from that of the graph are refused.
"""

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError, SfumatoError
from sfumato.core.progress import note
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import check_filled, numbered, table_of
from sfumato.data.schema import Schema
from sfumato.data.xml_text import SPACE, entity_free_parser, parse_xml

KINDS = {
    "boolean": pa.bool_(),
    "int": pa.int64(),
    "long": pa.int64(),
    "float": pa.float64(),
    "double": pa.float64(),
    "string": pa.string(),
}
SCHEMA_MARK = "sfumato schema\n"


def read_graphml(path: Path, schema: Schema | None = None) -> Graph:
    """Read a GraphML file; without a schema, the one it carries or else the proposal from its values is used."""
    found = _Reader(path)
    found.read()
    source = str(path)
    if found.edge_data:
        note(f"{source}: attributes of edges are not kept.")
    ends = [
        numbered(list(found.nodes), side, found.edge_lines, f"{source}, line")
        for side in (found.sources, found.targets)
    ]
    arrow = found.arrow()
    names = list(found.nodes)
    if schema is None and found.description.startswith(SCHEMA_MARK):
        stored = _stored_schema(found.description[len(SCHEMA_MARK) :], source)
        schema = stored if set(stored.names) - {"id"} == set(arrow.column_names) - {"id"} else None
    table = table_of(names, arrow, schema, source)
    return Graph(table, np.column_stack(ends), directed=found.directed)


def _stored_schema(text: str, source: str) -> Schema:
    try:
        return Schema.from_toml(text)
    except SfumatoError:  # whose words could hold a value
        raise DataError(
            f"{source}: the schema stored in it is damaged; say what the attributes are with --schema."
        ) from None


@dataclass
class _Key:
    name: str
    kind: pa.DataType
    default: str | None = None


class _Reader:
    """Takes the elements as they come; what breaks a rule is refused with its line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: dict[str, _Key] = {}
        self.columns: dict[str, dict[int, str]] = {}  # by key and number of the node
        self.nodes: dict[str, None] = {}
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.edge_lines = array("q")
        self.directed, self.edge_data, self.description = False, False, ""
        self._graphs = 0
        self._inside: list[str] = []
        self._words: list[str] = []
        self._key = ""
        self._starts = {"node": self._node, "edge": self._edge, "graph": self._graph, "key": self._declare}
        self._parser = entity_free_parser(path)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._words.append

    def read(self) -> None:
        with self.path.open("rb") as file:
            parse_xml(self._parser, file, self.path)
        if not self._graphs:
            raise DataError(f"{self.path} is not GraphML: it holds no graph element.")

    def arrow(self) -> pa.Table:
        filled = sum(map(len, self.columns.values()))
        check_filled(str(self.path), nodes=len(self.nodes), attributes=len(self.columns), filled=filled)
        columns = {}
        for key, given in self.columns.items():
            declared = self.keys[key]
            texts = [given.get(node, declared.default) for node in range(len(self.nodes))]
            if declared.name in columns:
                raise DataError(
                    f"{self.path}: two attributes of nodes are called {declared.name!r}; rename one."
                )
            columns[declared.name] = self._typed(declared, texts)
        return pa.table(columns)

    def _typed(self, key: _Key, texts: list[str | None]) -> pa.Array:
        values = pa.array(texts, pa.string())
        if pa.types.is_string(key.kind):
            return values
        values = pc.utf8_trim_whitespace(values)
        try:
            return pc.cast(values, key.kind)
        except pa.ArrowInvalid:
            raise DataError(
                f"{self.path}, attribute {key.name}: a value is not of the declared type; correct attr.type."
            ) from None

    def _start(self, name: str, given: dict[str, str]) -> None:
        tag = name.rpartition(SPACE)[2]
        self._words.clear()
        begin = self._starts.get(tag)
        if begin is not None:
            begin(given)
        elif tag == "data":
            self._key = given.get("key", "")
        elif tag == "hyperedge":
            self._refuse("hyperedges cannot be read; replace them by edges")
        self._inside.append(tag)

    def _end(self, name: str) -> None:
        tag = self._inside.pop()
        within = self._inside[-1] if self._inside else ""
        if tag == "data":
            self._data(within)
        elif tag == "default" and within == "key" and self._key in self.keys:
            self.keys[self._key].default = "".join(self._words)
        elif tag == "desc" and within == "graphml":
            self.description = "".join(self._words)

    def _graph(self, given: dict[str, str]) -> None:
        self._graphs += 1
        if self._graphs > 1:
            self._refuse("a second or nested graph cannot be read; keep one graph per file")
        self.directed = given.get("edgedefault") == "directed"
        self.columns = {key: {} for key in self.keys}

    def _declare(self, given: dict[str, str]) -> None:
        self._key = given.get("id", "")
        if given.get("for", "all") not in ("node", "all"):
            return
        if self._graphs:
            self._refuse("a key is declared after the graph; declare it before")
        kind = given.get("attr.type", "string")
        if kind not in KINDS:
            self._refuse(f"attr.type must be one of {', '.join(KINDS)}")
        self.keys[self._key] = _Key(given.get("attr.name", self._key), KINDS[kind])

    def _node(self, given: dict[str, str]) -> None:
        name = given.get("id")
        if name is None or not self._graphs:
            self._refuse("a node needs an id and belongs inside a graph")
        elif name in self.nodes:
            self._refuse("a node of the same id comes before; ids must be unique")
        else:
            self.nodes[name] = None

    def _edge(self, given: dict[str, str]) -> None:
        try:
            self.sources.append(given["source"])
            self.targets.append(given["target"])
        except KeyError:
            self._refuse("an edge needs a source and a target")
        if given.get("directed", "true" if self.directed else "false") != (
            "true" if self.directed else "false"
        ):
            self._refuse(
                "an edge has another direction than edgedefault says; keep directed and undirected apart"
            )
        self.edge_lines.append(self._parser.CurrentLineNumber)

    def _data(self, within: str) -> None:
        if within == "edge":
            self.edge_data = True
        elif within == "node":
            column = self.columns.get(self._key)
            if column is None:
                self._refuse("data of a node name a key that is not declared")
            else:
                column[len(self.nodes) - 1] = "".join(self._words)

    def _refuse(self, rule: str) -> None:
        raise DataError(f"{self.path}, line {self._parser.CurrentLineNumber}: {rule}.")
