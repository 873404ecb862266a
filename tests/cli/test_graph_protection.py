import json

import numpy as np
import pytest

from sfumato.data import CsvOptions
from sfumato.data.files.graph_files import read_graph, write_graph
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.jobs.graph.evaluate import evaluate_graph, evaluate_structure
from sfumato.jobs.graph.protect import protect_graph, protect_structure


@pytest.fixture(scope="module")
def graph():
    return profile_graph(120, seed=3, missing=0.05)


@pytest.fixture(autouse=True)
def _files(tmp_path, graph):
    write_graph(graph, tmp_path / "people.graphml")
    write_graph(graph, tmp_path / "people.jsonl")


@pytest.mark.parametrize("suffix", ["graphml", "jsonl"])
def test_protect_writes_what_the_library_makes_and_evaluate_reads_it(run, tmp_path, graph, suffix):
    said = run(
        "graph",
        "protect",
        f"people.{suffix}",
        "-o",
        f"safe.{suffix}",
        "--k",
        "4",
        "--seed",
        "2",
        "--json",
        "-q",
    )
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    released = protect_graph(graph, AttributeProtection(k=4), seed=2)
    expected = evaluate_graph(graph, released)
    assert told["losses"] == expected.to_dict()["losses"]
    assert told["risks"] == expected.risks
    back = json.loads(run("graph", "evaluate", f"people.{suffix}", f"safe.{suffix}", "--json", "-q").stdout)
    assert back.items() >= expected.to_dict().items()
    if suffix == "graphml":
        assert read_graph(tmp_path / "safe.graphml").nodes.names[-4:] == released.nodes.names
    assert "user" not in (tmp_path / "safe.schema.toml").read_text(encoding="utf-8")


def test_identifiers_go_with_a_word_unless_they_are_kept(run, tmp_path):
    asked = ("graph", "protect", "people.graphml", "-o", "safe.graphml")
    assert "left out: user (whole numbers; the values count the records); keep a column" in run(*asked).stderr
    kept = run(*asked, "--keep", "user")
    assert "left out" not in kept.stderr
    assert "user" in read_graph(tmp_path / "safe.graphml").nodes.names


def test_a_record_and_a_study_repeat_a_protection(run, tmp_path):
    asked = ("--k", "3", "--structure", "k_degree(k=5)", "--seed", "4")
    files = ("--record", "kept.json", "--save-study", "again.toml")
    said = run("graph", "protect", "people.graphml", "-o", "safe.graphml", *asked, *files, "-q")
    assert said.exit_code == 0, said.output
    record = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))
    assert record["job"]["structure"] == "k_degree(k=5)"  # a k that was said, though it is the default
    assert (record["method"]["k"], record["structure"]) == (3, {"method": "k_degree"})
    first = (tmp_path / "safe.graphml").read_bytes()
    assert 'structure = "k_degree(k=5)"' in (tmp_path / "again.toml").read_text(encoding="utf-8")
    again = run("run", "again.toml", "-o", "other.graphml", "-q")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "other.graphml").read_bytes() == first


def test_tables_of_edges_and_nodes_are_read_as_they_are_laid_out(run, tmp_path, graph):
    layout = CsvOptions(delimiter=";")
    write_graph(graph, tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", options=layout)
    (tmp_path / "nodes.toml").write_text(graph.nodes.schema.to_toml(), encoding="utf-8")
    tables = ("edges.csv", "--nodes", "nodes.csv", "--schema", "nodes.toml", "--delimiter", ";")
    for source in (tables, ("people.graphml",)):
        said = run("graph", "protect", *source, "-o", f"safe{len(source)}.graphml", "--seed", "1", "-q")
        assert said.exit_code == 0, said.output
    assert (tmp_path / "safe7.graphml").read_bytes() == (tmp_path / "safe1.graphml").read_bytes()


def test_tables_for_people(run):
    said = run(
        "graph", "protect", "people.graphml", "-o", "safe.graphml", "--refine", "2", "--seeds", "farthest"
    )
    assert said.exit_code == 0, said.output
    assert "AAMIL" in said.stdout
    assert "topics" in said.stdout
    assert "120 nodes and" in said.stdout and "safe.graphml" in said.stdout
    assert "AAMIL" in run("graph", "evaluate", "people.graphml", "safe.graphml").stdout


def test_a_report_over_k(run, tmp_path):
    said = run(
        "graph", "report", "people.graphml", "--k", "2,10", "--runs", "2", "--html", "r.html", "--json", "-q"
    )
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert told["k"] == [2, 10]
    assert told["losses"]["mean"][0] < told["losses"]["mean"][1]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "k = 10" in page
    assert "<svg" in page
    assert f"{100 * told['losses']['mean'][1]:.1f}" in page
    assert "loss" in run("graph", "report", "people.graphml", "--k", "3", "--runs", "1").stdout


def test_a_report_shows_the_graph_before_and_after_with_places_by_name(run, tmp_path, graph):
    asked = ("graph", "report", "people.graphml", "--k", "3", "--runs", "1", "--structure", "k_degree")
    assert run(*asked, "-o", "r.html", "-q").exit_code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Before and after, with k = 3" in page
    codes, counts = np.unique(graph.nodes["location"], return_counts=True)
    assert graph.nodes.schema["location"].categories[codes[codes >= 0][counts[codes >= 0].argmax()]] in page
    bare = (*asked, "-o", "bare.html", "--no-attributes", "-q")
    said = run(*bare)
    assert said.exit_code == 0, said.output
    assert "without attributes" in (tmp_path / "bare.html").read_text(encoding="utf-8")


def test_an_attack_finds_the_order_of_the_release(run):
    made = run("graph", "protect", "people.graphml", "-o", "safe.graphml", "--k", "4", "-q", "--json")
    said = run("graph", "attack", "people.graphml", "safe.graphml", "--json", "-q")
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)["results"]
    told = json.loads(made.stdout)["attacks"]["results"]
    for name in ("surroundings", "12 people known"):  # other draws, and a codebook that says less
        assert found[name]["attack"]["value"] == pytest.approx(told[name]["attack"]["value"], abs=5)
    assert found["12 people known"]["attack"]["value"] > 50  # in another order she would find nobody


def _structure(run, *arguments):
    said = run("graph", "evaluate", "people.graphml", *arguments, "--json", "-q")
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)["structure_evaluation"]


def test_structure_is_judged_where_edges_differ(run, tmp_path, graph):
    other = protect_structure(graph, {"method": "k_degree", "k": 6}, seed=1)
    write_graph(other, tmp_path / "other.graphml")
    told = _structure(run, "other.graphml")
    assert told == evaluate_structure(graph, other).to_dict()
    edges, *_ = told["losses"]["lines"]
    assert (edges["before"]["value"], edges["after"]["value"]) == (graph.m, other.m)
    assert [risk["query"] for risk in told["after"]] == [1, 2, 3]
    assert told["after"][0]["success"] < told["before"][0]["success"]
    shown = run("graph", "evaluate", "people.graphml", "other.graphml", "-q").stdout
    for words in ("clustering", "average path length", "degree distribution", "largest eigenvalue", "H3"):
        assert words in shown


def test_structure_of_the_same_edges_only_where_asked_for(run):
    assert _structure(run, "people.jsonl") is None
    assert "H1" not in run("graph", "evaluate", "people.graphml", "people.graphml", "-q").stdout
    forced = _structure(run, "people.jsonl", "--structure")
    assert {line["change"] for line in forced["losses"]["lines"]} == {0.0}
    assert forced["before"] == forced["after"]


def test_a_report_on_profiles_and_edges(run, tmp_path):
    asked = (
        "graph",
        "report",
        "people.graphml",
        "--k",
        "2,20",
        "--runs",
        "1",
        "--structure",
        "k_degree",
        "-q",
    )
    told = json.loads(run(*asked, "--html", "r.html", "--json").stdout)
    assert told["job"]["structure"] == "k_degree"
    few, many = told["found_by_structure"]["H1"]
    assert many < few
    assert told["changes"]["edges"][0] < told["changes"]["edges"][1]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Candidate sets" in page
    assert "Only values are protected" not in page
    assert f"{100 * told['changes']['clustering'][1]:.1f}" in page
    assert "degree distribution" in run(*asked).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("protect", "people.graphml", "-o", "people.graphml"), "also an input"),
        (("protect", "people.graphml", "-o", "safe.csv"), "unknown suffix"),
        (("protect", "people.graphml", "-o", "safe.graphml", "--k", "500"), "needs at least 500 nodes"),
        (("protect", "people.graphml", "-o", "safe.graphml", "--topics", "hobby"), "Unknown column 'hobby'"),
        (
            ("protect", "people.graphml", "-o", "safe.graphml", "--location", "user"),
            "location needs categories",
        ),
        (("protect", "none.graphml", "-o", "safe.graphml"), "none.graphml"),
        (
            ("report", "people.graphml", "--k", "2,x"),
            "k must be a list, each item an integer of at least 1. Got 'x'",
        ),
        (("evaluate", "people.graphml", "none.graphml"), "none.graphml"),
        (("report", "people.graphml", "--structure", "k_degre"), "Did you mean k_degree?"),
    ],
)
def test_one_sentence_and_no_file(run, tmp_path, arguments, sentence):
    said = run("graph", *arguments)
    assert said.exit_code == 2
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("safe")]


def test_unknown_places_are_counted_not_shown(run, tmp_path):
    lines = [
        {"id": str(i), "location": f"Nowhere {i % 3}", "topic1": "Sports", "follows": []} for i in range(30)
    ]
    (tmp_path / "odd.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    said = run("graph", "protect", "odd.jsonl", "-o", "safe.jsonl", "--topics", "topic1", "-q")
    assert said.exit_code == 2
    assert "3 of its 3 places are not in the tree" in said.stderr
    assert "Nowhere" not in said.stderr
