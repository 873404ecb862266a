"""`sfumato graph extract` and `microdata`: from exported profiles to a graph to a table."""

import json

import networkx
import pytest
from generated_profiles import made_profiles, write_profiles

from sfumato.data import Schema, read_table
from sfumato.data.files.graph_files import read_graph, write_graph
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.microdata import microdata


@pytest.fixture
def graph(tmp_path):
    graph = profile_graph(60, seed=3)
    write_profiles(made_profiles(graph, posts=10), tmp_path / "exported")
    return graph


def test_extract_then_microdata(run, graph, tmp_path):
    result = run("graph", "extract", "exported", "-o", "graph.graphml", "-q")
    assert result.exit_code == 0, result.output
    assert f"graph.graphml: 60 users and {graph.m} edges." in result.stdout
    network = networkx.read_graphml(tmp_path / "graph.graphml")
    assert (len(network), network.size()) == (60, graph.m)
    result = run("graph", "microdata", "graph.graphml", "-o", "table.csv", "--json", "-q")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert (said["records"], said["columns"][0]) == (60, "degree")
    table = read_table(tmp_path / "table.csv", schema=Schema.read(tmp_path / "table.schema.toml"))
    assert table["degree"].tolist() == graph.degrees.tolist()
    assert table.schema["location"].hierarchy is not None
    assert "user" not in table


def test_a_crawl_takes_as_many_as_asked_for(run, graph, tmp_path):
    start = str(int(graph.nodes["user"][0]))
    result = run(
        "graph", "extract", "exported", "-o", "g.jsonl", "--start", start, "--users", "15", "--posts", "0", "--json", "-q"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["nodes"] == 15
    assert said["missing"]["topic1"] == 15  # no posts, no topics
    assert read_graph(tmp_path / "g.jsonl").n == 15


def test_topics_and_places_of_ones_own(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": "a", "location": "narnia", "posts": ["my rook"]}')
    (tmp_path / "words.toml").write_text('Chess = ["rook"]')
    (tmp_path / "places.csv").write_text("name,type,parent\nWorld,world,\nNarnia,country,World\n")
    result = run(
        "graph", "extract", "in", "-o", "g.graphml", "--topics", "words.toml", "--places", "places.csv"
    )
    assert result.exit_code == 0, result.output
    (record,) = read_graph(tmp_path / "g.graphml").nodes.to_arrow().to_pylist()
    assert record == {"user": "a", "location": "Narnia", "topic1": "Chess", "topic2": None, "topic3": None}


def test_microdata_of_edges_and_nodes(run, graph, tmp_path):
    write_graph(graph, tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv")
    (tmp_path / "nodes.toml").write_text(graph.nodes.schema.to_toml(), encoding="utf-8")
    result = run(
        "graph", "microdata", "edges.csv", "--nodes", "nodes.csv", "--schema", "nodes.toml", "--attributes", "topic1,location", "-o", "table.parquet"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    table = read_table(tmp_path / "table.parquet")
    assert table.fingerprint == microdata(graph, ["topic1", "location"]).fingerprint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("extract", "none", "-o", "g.graphml"), "none is not a folder of exported profiles"),
        (("extract", "exported", "-o", "g.csv"), "unknown suffix '.csv'"),
        (("extract", "exported", "-o", "g.graphml", "--users", "3"), "name the user to start from with --start"),
        (("extract", "exported", "-o", "g.graphml", "--start", "x"), "no profile of the user to start from"),
        (("microdata", "none.graphml", "-o", "t.csv"), "none.graphml does not exist"),
        (("microdata", "none.csv", "-o", "t.csv"), "name the file of the nodes"),
        (("extrac", "exported"), "Did you mean extract?"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_sentence(run, graph, words, said):
    result = run("graph", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_without_a_command_the_help_is_shown(run):
    result = run("graph")
    assert result.exit_code == 0
    assert "extract" in result.stdout
