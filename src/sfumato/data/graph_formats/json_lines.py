"""A graph as JSON lines: one profile per line, with its id, its attributes, and the ids it follows.

{"id": "ann", "location": "Lleida", "topic1": "Sports", "follows": ["bob"]}
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.data.csv_options import CsvOptions
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import ID, check_filled, column, named_by, node_names, numbered, table_of
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.schema import Schema

FOLLOWS = "follows"
SCALARS = (str, int, float, bool, type(None))


class JsonLines(GraphFormat):
    """Profiles; an attribute that one leaves out or that is null is missing."""

    suffixes = (".jsonl", ".ndjson")

    def read(
        self, files: Sequence[Path], *, schema: Schema | None, directed: bool, options: CsvOptions | None
    ) -> Graph:
        """In an undirected graph it is enough that one of two people follows the other."""
        (path,) = files
        names: dict[str, None] = {}
        profiles: list[dict[str, object]] = []
        sources: list[int] = []
        targets: list[str] = []
        lines: list[int] = []
        for line, profile in _objects(path):
            where = f"{path}, line {line}"
            name, follows = _name(profile, where), _follows(profile, where)
            if name in names:
                raise DataError(f"{where}: a profile of the same id comes before; ids must be unique.")
            names[name] = None
            sources.extend([len(profiles)] * len(follows))
            targets.extend(follows)
            lines.extend([line] * len(follows))
            profiles.append(profile)
        ends = numbered(list(names), targets, lines, f"{path}, line")
        table = table_of(list(names), _columns(profiles, schema, str(path)), schema, str(path))
        return Graph(table, np.column_stack([np.array(sources, np.int64), ends]), directed=directed)

    def write(self, graph: Graph, files: Sequence[Path], options: CsvOptions | None) -> None:
        """An edge of an undirected graph stands at its first node only."""
        names = node_names(graph)
        columns = {a.name: column(graph.nodes, a).to_pylist() for a in graph.nodes.schema}
        if columns.pop(ID, None) is not None and named_by(graph.nodes) != ID:
            raise DataError(f"Column {ID} does not name the nodes: give it another name.")
        starts = np.searchsorted(graph.edges[:, 0], np.arange(graph.n + 1))
        followed = graph.edges[:, 1].tolist()
        encode = msgspec.json.Encoder().encode
        with files[0].open("wb") as file:
            for node, name in enumerate(names):
                values = {key: cells[node] for key, cells in columns.items() if cells[node] is not None}
                follows = [names[other] for other in followed[starts[node] : starts[node + 1]]]
                file.write(encode({ID: name, **values, FOLLOWS: follows}) + b"\n")


def _objects(path: Path) -> list[tuple[int, dict[str, object]]]:
    decode = msgspec.json.Decoder(dict[str, object]).decode
    found = []
    try:
        with path.open("rb") as file:
            for line, text in enumerate(file, start=1):
                if text.strip():
                    found.append((line, decode(text)))
    except OSError:
        raise FileError(f"{path} cannot be read.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}, line {line}: not a JSON object; each line holds one profile.") from None
    return found


def _name(profile: dict[str, object], where: str) -> str:
    name = profile.pop(ID, None)
    if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
        raise DataError(f"{where}: a profile needs an id, a text or a whole number.")
    return str(name)


def _follows(profile: dict[str, object], where: str) -> list[str]:
    follows = profile.pop(FOLLOWS, [])
    if not isinstance(follows, list) or any(
        not isinstance(other, str | int) or isinstance(other, bool) for other in follows
    ):
        raise DataError(f"{where}: {FOLLOWS} must be a list of ids.")
    for key, value in profile.items():
        if not isinstance(value, SCALARS):
            raise DataError(
                f"{where}: {key} is no single value; make a graph of exported profiles with sfumato graph extract."
            )
    return [str(other) for other in follows]


def _columns(profiles: list[dict[str, object]], schema: Schema | None, source: str) -> pa.Table:
    """The attributes in the order of the schema, and those declared that no profile has as missing."""
    declared = () if schema is None else (name for name in schema.names if name != ID)
    keys = dict.fromkeys([*declared, *(key for profile in profiles for key in profile)])
    filled = sum(map(len, profiles))
    check_filled(source, nodes=len(profiles), attributes=len(keys), filled=filled)
    columns = {}
    for key in keys:
        values = [profile.get(key) for profile in profiles]
        try:
            columns[key] = pa.array(values)
        except (pa.ArrowException, OverflowError):
            raise DataError(
                f"{source}, attribute {key}: values are of several types; write all as text or all as numbers."
            ) from None
    return pa.table(columns)
