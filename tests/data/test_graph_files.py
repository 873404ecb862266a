"""Files of graphs: nothing is lost on the way, other programs can read them, and faults are named with their line."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from table_strategies import same, tables

from sfumato.core import DataError, FileError, MissingExtraError
from sfumato.core.progress import listening
from sfumato.data import Attribute, Schema, Table
from sfumato.data.files.graph_files import read_graph, write_graph
from sfumato.data.graph import Graph
from sfumato.data.networks import from_igraph, from_networkx, to_networkx
from sfumato.datasets.profile_graph import profile_graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(tables())
    assume("id" not in nodes)
    node = st.integers(0, max(nodes.n - 1, 0))
    edges = draw(st.lists(st.tuples(node, node), max_size=12)) if nodes.n else []
    return Graph(nodes, edges, directed=draw(st.booleans()))


def same_graph(left: Graph, right: Graph) -> bool:
    return left.fingerprint == right.fingerprint and same(left.nodes, right.nodes)


@given(graphs())
def test_graphml_gives_back_every_value_edge_and_declaration(graph: Graph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "g.graphml"
        try:
            write_graph(graph, file)
        except DataError as refusal:
            assert "control character" in str(refusal)
            assert not file.exists()
            return
        assert same_graph(read_graph(file), graph)


@given(graphs())
def test_json_lines_give_back_every_value_and_edge(graph: Graph) -> None:
    assume("follows" not in graph.nodes)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "g.jsonl"
        write_graph(graph, file)
        found = read_graph(file, schema=graph.nodes.schema, directed=graph.directed)
        assert same_graph(found, graph)


@given(graphs(), st.sampled_from([".csv", ".parquet"]))
def test_edge_list_and_nodes_give_back_every_value_and_edge(graph: Graph, suffix: str) -> None:
    texts = [a for a in graph.nodes.schema if not a.is_numeric]
    assume(suffix != ".csv" or not any("\r" in c or "\n" in c for a in texts for c in a.categories))
    with tempfile.TemporaryDirectory() as folder:
        edges, nodes = Path(folder) / f"edges{suffix}", Path(folder) / f"nodes{suffix}"
        write_graph(graph, edges, nodes=nodes)
        naming = Attribute(
            name="id", scale="nominal", role="identifier", categories=tuple(f"n{i}" for i in range(graph.n))
        )
        schema = Schema([naming, *graph.nodes.schema])
        found = read_graph(edges, nodes=nodes, schema=schema, directed=graph.directed)
        assert found.edges.tolist() == graph.edges.tolist()
        assert same(found.nodes.select(graph.nodes.names), graph.nodes)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("suffix", [".graphml", ".jsonl", ".csv"])
def test_profile_graphs_come_back_from_every_format(tmp_path: Path, suffix: str, directed: bool) -> None:
    graph = profile_graph(80, seed=2, directed=directed, missing=0.2)
    file = tmp_path / f"g{suffix}"
    nodes = tmp_path / "nodes.csv" if suffix == ".csv" else None
    write_graph(graph, file, nodes=nodes)
    schema = graph.nodes.schema
    if suffix == ".jsonl":
        found = read_graph(file, schema=schema, directed=directed)
    else:
        found = read_graph(file, nodes=nodes, schema=schema, directed=directed)
    assert same_graph(found, graph)


def typed_graph() -> Graph:
    attributes = [
        Attribute(name="age", scale="numeric", storage="integer", decimals=0),
        Attribute(name="big", scale="numeric", storage="integer", decimals=0),
        Attribute(name="height", scale="numeric", storage="real"),
        Attribute(name="member", scale="nominal", storage="boolean", categories=("false", "true")),
        Attribute(name="town", scale="nominal", categories=("a < b & c", 'é "quoted"')),
    ]
    columns = {
        "age": [31, 45, np.nan],
        "big": [2.0**40, 0, 1],
        "height": [1.5, np.nan, 1.75],
        "member": [0, 1, -1],
        "town": [0, 1, 0],
    }
    return Graph(Table(Schema(attributes), columns), [(0, 1), (1, 2)])


def test_networkx_reads_our_graphml_with_types(tmp_path: Path) -> None:
    write_graph(typed_graph(), tmp_path / "g.graphml")
    network = networkx.read_graphml(tmp_path / "g.graphml")
    assert not network.is_directed()
    assert sorted(network.edges) == [("n0", "n1"), ("n1", "n2")]
    assert network.nodes["n0"] == {
        "age": 31, "big": 2**40, "height": 1.5, "member": False, "town": "a < b & c",
    }  # fmt: skip
    assert network.nodes["n2"] == {"big": 1, "height": 1.75, "town": "a < b & c"}
    assert type(network.nodes["n0"]["age"]) is int
    assert type(network.nodes["n0"]["member"]) is bool


def test_keys_declare_the_types_gephi_knows(tmp_path: Path) -> None:
    """Its importer knows int, long, double, boolean and string, and takes keys called d3 or x for layout."""
    write_graph(typed_graph(), tmp_path / "g.graphml")
    text = (tmp_path / "g.graphml").read_text(encoding="utf-8")
    kinds = ["int", "long", "double", "boolean", "string"]
    for number, (kind, name) in enumerate(zip(kinds, typed_graph().nodes.names, strict=True)):
        assert f'<key id="a{number}" for="node" attr.name="{name}" attr.type="{kind}"/>' in text


def test_graphml_written_by_networkx_is_read(tmp_path: Path) -> None:
    network = networkx.DiGraph()
    network.add_node("ann", age=31, member=True)
    network.add_node("bob", age=45, member=False)
    network.add_edge("bob", "ann", weight=2.0)
    networkx.write_graphml(network, tmp_path / "g.graphml")
    notes: list[str] = []
    watcher = SimpleNamespace(noted=notes.append)
    with listening(watcher):  # type: ignore[arg-type]
        graph = read_graph(tmp_path / "g.graphml")
    assert graph.directed
    assert graph.edges.tolist() == [[1, 0]]
    assert graph.nodes.to_arrow().to_pydict() == {
        "id": ["ann", "bob"], "age": [31, 45], "member": [True, False],
    }  # fmt: skip
    assert graph.nodes.schema["id"].role == "identifier"
    assert ["attributes of edges are not kept" in text for text in notes] == [True]


def test_networkx_and_back() -> None:
    graph = profile_graph(60, seed=4, missing=0.3)
    network = to_networkx(graph)
    assert (len(network), network.size()) == (60, graph.m)
    assert same_graph(from_networkx(network, graph.nodes.schema), graph)


def test_an_igraph_like_object_is_read() -> None:
    class Vertex:
        def __init__(self, **values: object) -> None:
            self.values = values

        def attributes(self) -> dict[str, object]:
            return dict(self.values)

    network = SimpleNamespace(
        vs=[Vertex(name="ann", age=31), Vertex(name="bob", age=45)],
        get_edgelist=lambda: [(0, 1)],
        is_directed=lambda: False,
    )
    graph = from_igraph(network)
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.nodes.to_arrow().to_pydict() == {"id": ["ann", "bob"], "age": [31, 45]}


def test_networks_that_are_no_tables_are_refused() -> None:
    mixed = networkx.Graph()
    mixed.add_node("a", x=1)
    mixed.add_node("b", x="one")
    with pytest.raises(DataError, match="Attribute x: values are of several types"):
        from_networkx(mixed)
    mixed.nodes["a"]["x"] = mixed.nodes["b"]["x"] = [1, 2]
    with pytest.raises(DataError, match="Attribute x: values must be single ones"):
        from_networkx(mixed)
    twice = networkx.Graph()
    twice.add_nodes_from([1, "1"])
    with pytest.raises(DataError, match="the same name as text"):
        from_networkx(twice)


def test_without_networkx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"sfumato\[graph\]"):
        to_networkx(profile_graph(3))


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
AGE = '<key id="k" for="node" attr.name="age" attr.type="int"/>\n'


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (HEAD + '<graph>\n<node id="a"/>\n<edge source="a" target="b"/>\n</graph></graphml>', "line 4: an edge leads"),
        (HEAD + '<graph>\n<node id="a"/>\n<node id="a"/>\n</graph></graphml>', "line 4: a node of the same id"),
        (HEAD + '<graph>\n<node id="a">\n</graph></graphml>', "line 4: not valid XML"),
        (HEAD + "<graph>\n<node/>\n</graph></graphml>", "line 3: a node needs an id"),
        (HEAD + '<graph>\n<edge source="a"/>\n</graph></graphml>', "line 3: an edge needs a source and a target"),
        (HEAD + "</graphml>", "is not GraphML: it holds no graph element"),
        (HEAD + "<graph/>\n<graph/></graphml>", "line 3: a second or nested graph"),
        (HEAD + '<graph><node id="a"><graph/></node></graph></graphml>', "line 2: a second or nested graph"),
        (HEAD + "<graph><hyperedge/></graph></graphml>", "hyperedges cannot be read"),
        (HEAD + '<graph>\n<node id="a"><data key="x">1</data></node></graph></graphml>', "line 3: data of a node"),
        (HEAD + AGE.replace("int", "date") + "<graph/></graphml>", "line 2: attr.type must be one of"),
        (
            HEAD + AGE + '<graph><node id="a"><data key="k">x17</data></node></graph></graphml>',
            "attribute age: a value is not of the declared type",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="a"/><edge directed="false" source="a" target="a"/>'
            "</graph></graphml>",
            "an edge has another direction",
        ),
        ('<!DOCTYPE g [<!ENTITY x "y">]>\n' + HEAD + "<graph/></graphml>", "line 1: declared entities"),
    ],
)  # fmt: skip
def test_faults_of_graphml_are_named(tmp_path: Path, text: str, rule: str) -> None:
    file = tmp_path / "g.graphml"
    file.write_text(text)
    with pytest.raises(DataError) as refusal:
        read_graph(file)
    assert rule in str(refusal.value)
    assert str(file) in str(refusal.value)
    assert "x17" not in str(refusal.value)


def test_defaults_of_graphml_fill_in(tmp_path: Path) -> None:
    key = AGE.replace("/>", "><default>40</default></key>")
    nodes = '<node id="a"/><node id="b"><data key="k"> 31 </data></node>'
    (tmp_path / "g.graphml").write_text(f"{HEAD}{key}<graph>{nodes}</graph></graphml>")
    assert read_graph(tmp_path / "g.graphml").nodes["age"].tolist() == [40, 31]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"id": "a", "follows": ["b"]}', "line 1: an edge leads to a node that the file does not list"),
        ('{"id": "a"}\n\n{"id": "a"}', "line 3: a profile of the same id"),
        ('{"id": "a"}\n["a"]', "line 2: not a JSON object"),
        ('{"town": "a"}', "line 1: a profile needs an id"),
        ('{"id": "a", "follows": "b"}', "line 1: follows must be a list of ids"),
        ('{"id": "a", "posts": ["hello"]}', "sfumato graph extract"),
        ('{"id": "a", "x": 1}\n{"id": "b", "x": "one"}', "attribute x: values are of several types"),
    ],
)
def test_faults_of_json_lines_are_named(tmp_path: Path, text: str, rule: str) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text(text)
    with pytest.raises(DataError, match=rule):
        read_graph(file)


@pytest.mark.parametrize(
    ("nodes", "edges", "rule"),
    [
        ("id,x\na,1\nb,2\n", "source,target\na,b\na,c\n", "edges.csv, row 2: an edge leads"),
        ("id,x\na,1\na,2\n", "source,target\na,a\n", "nodes.csv, column id, row 2: a name is missing or comes twice"),
        ("id,x\na,1\nb,2\n", "source,target\na,\n", "column target, row 1: an edge needs two ends"),
        ("id,x\na,1\nb,2\n", "source\na\n", "a file of edges has two columns"),
    ],
)  # fmt: skip
def test_faults_of_edge_lists_are_named(tmp_path: Path, nodes: str, edges: str, rule: str) -> None:
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    with pytest.raises(DataError, match=rule):
        read_graph(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv")


def test_edges_may_stand_in_any_two_columns(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("town,who\nLleida,7\nSoria,8\nLleida,9\n")
    (tmp_path / "edges.csv").write_text("from,to,since\n9,7,1999\n")
    graph = read_graph(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", schema=WHO, directed=True)
    assert graph.edges.tolist() == [[2, 0]]


def test_graphs_without_attributes_or_nodes(tmp_path: Path) -> None:
    (tmp_path / "g.graphml").write_text(f'{HEAD}<graph><node id="n0"/><node id="n1"/></graph></graphml>')
    assert read_graph(tmp_path / "g.graphml").nodes.names == ("id",)
    assert from_networkx(networkx.Graph()).n == 0
    assert from_networkx(networkx.path_graph(3)).edges.tolist() == [[0, 1], [1, 2]]


WHO = Schema(
    [
        Attribute(name="town", scale="nominal", categories=("Lleida", "Soria")),
        Attribute(name="who", scale="numeric", role="identifier", storage="integer", decimals=0),
    ]
)

WRONG: list[tuple[str, Callable[[Path], object], str]] = [
    ("no file", lambda folder: read_graph(folder / "no.graphml"), "does not exist"),
    ("no lines", lambda folder: read_graph(folder / "no.jsonl"), "does not exist"),
    ("a folder", lambda folder: read_graph(make(folder / "g.graphml")), "is a folder"),
    ("suffix", lambda folder: read_graph(folder / "g.gml"), "known suffixes are .csv, .tsv, .txt, .parquet, .pq, .graphml, .xml, .jsonl, .ndjson."),
    ("no nodes", lambda folder: read_graph(folder / "g.csv"), "name the file of the nodes"),
    ("nodes too", lambda folder: read_graph(folder / "g.xml", nodes="n.csv"), "leave out n.csv"),
    ("no nodes to write", lambda folder: write_graph(typed_graph(), folder / "g.csv"), "name a file for the nodes"),
]  # fmt: skip


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize(("call", "rule"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_cannot_be_read_or_written_is_said(
    tmp_path: Path, call: Callable[[Path], object], rule: str
) -> None:
    with pytest.raises(FileError, match=rule):
        call(tmp_path)


def test_a_column_called_id_that_names_nobody_is_refused(tmp_path: Path) -> None:
    nodes = Table(Schema([Attribute(name="id", scale="numeric")]), {"id": [1, 1]})
    with pytest.raises(DataError, match="Column id does not name the nodes"):
        write_graph(Graph(nodes, []), tmp_path / "g.jsonl")
    with pytest.raises(DataError, match="Column id does not tell the nodes apart"):
        write_graph(Graph(nodes, []), tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    assert not list(tmp_path.iterdir())


def test_a_failed_writing_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "g.graphml"
    file.write_text("earlier")
    bad = Schema([Attribute(name="x", scale="nominal", categories=("\uffff",))])
    with pytest.raises(DataError, match="control character"):
        write_graph(Graph(Table(bad, {"x": [0]}), []), file)
    assert [path.name for path in tmp_path.iterdir()] == ["g.graphml"]
    assert file.read_text() == "earlier"
