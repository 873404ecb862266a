from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import Server, visiting
from stories import check_usable, finished_run, held, run_shown

from sfumato.core import SfumatoError
from sfumato.core.results import plain
from sfumato.data.files.graph_files import read_graph, write_graph
from sfumato.data.graph import Graph
from sfumato.datasets import profile_graph
from sfumato.graphs.edge_changes import edge_changes
from sfumato.graphs.layout import positions
from sfumato.jobs import ORDER_FILE, Order
from sfumato.web.projects import Project
from sfumato.web.questions._graph_picture import MOST_DRAWN, graph_picture
from sfumato.web.questions.graph import graph
from sfumato.web.questions.graph_protection import graph_protection
from sfumato.web.workspace import Workspace

GRAPH = profile_graph(80, seed=1)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write_graph(GRAPH, tmp_path / "network.graphml")
    return Workspace(tmp_path).open_file("network.graphml")


def _degrees(edges: np.ndarray, n: int) -> list[int]:
    ends = Counter(int(end) for pair in edges for end in pair)
    return [ends[node] for node in range(n)]


def test_a_graph_is_told_without_a_value_of_its_people(project: Project) -> None:
    found = graph(held(project), {})
    degrees = _degrees(GRAPH.edges, GRAPH.n)
    assert (found["nodes"], found["edges"], found["drawn"]) == (80, GRAPH.m, True)
    assert found["degrees"] == degrees
    assert found["alike"] == [degrees.count(degree) for degree in degrees]
    assert {row["degree"]: row["nodes"] for row in found["distribution"]} == Counter(degrees)
    assert found["exposed"] == sum(degrees.count(degree) < 5 for degree in degrees)
    assert all(-1 <= number <= 1 for place in found["places"] for number in place)
    names = set(map(str, GRAPH.nodes["user"].tolist()))
    assert not any(name in str(found) for name in names)


def test_neighbours_are_drawn_nearer_than_others() -> None:
    places = positions(GRAPH, np.random.default_rng(0))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    start, end = GRAPH.edges.T
    assert apart[start, end].mean() < 0.6 * apart[np.triu_indices(GRAPH.n, 1)].mean()
    assert np.array_equal(places, positions(GRAPH, np.random.default_rng(0)))


def test_a_large_graph_is_not_drawn_but_counted() -> None:
    n = MOST_DRAWN + 1
    large = Graph(profile_graph(n, seed=1).nodes, [(node, node + 1) for node in range(n - 1)])
    found = graph_picture(large).to_dict()
    assert not found["drawn"] and "places" not in found and "pairs" not in found
    assert found["distribution"] == [{"degree": 1, "nodes": 2}, {"degree": 2, "nodes": n - 2}]


def test_edges_that_came_and_went_are_told() -> None:
    pairs = {tuple(pair) for pair in GRAPH.edges.tolist()}
    gone, new = sorted(pairs)[:3], [(0, 79), (1, 78)]
    assert not pairs & set(new)
    change = edge_changes(GRAPH, GRAPH.with_edges([*sorted(pairs - set(gone)), *new]))
    assert sorted(map(tuple, change.removed.tolist())) == gone
    assert sorted(map(tuple, change.added.tolist())) == new


def test_a_list_of_edges_needs_a_table_of_nodes_beside_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_graph(GRAPH, tmp_path / "in" / "edges.csv", nodes=tmp_path / "in" / "people.csv")
    (tmp_path / "secret.csv").write_text("id\n1\n")
    (tmp_path / "in" / "link.csv").symlink_to(tmp_path / "secret.csv")
    seen = held(Workspace(tmp_path).open_file("in/edges.csv"))
    assert graph(seen, {"nodes": "people.csv"})["edges"] == GRAPH.m
    with pytest.raises(SfumatoError, match="holds edges only"):
        graph(seen, {})
    for name in ("../secret.csv", "link.csv", str(tmp_path / "secret.csv"), ".hidden.csv", "people.toml"):
        with pytest.raises(SfumatoError, match="must lie beside"):
            graph(seen, {"nodes": name})
    with pytest.raises(SfumatoError, match="does not exist"):
        graph(seen, {"nodes": "nobody.csv"})


def test_a_protected_graph_is_what_was_written(project: Project) -> None:
    settings = {"k": 4, "structure": "k_degree", "output": "protected.graphml"}
    run = finished_run(project, "graph protect", settings)
    found = plain(graph_protection(held(project), {"run": run}))
    out = project.runs / run / "out"
    order = Order.read(out / "protected.private" / ORDER_FILE)
    written = read_graph(out / "protected.graphml").take(order.back())
    assert found["after"]["degrees"] == _degrees(written.edges, written.n)
    assert min(found["after"]["alike"]) >= 4 and found["after"]["places"] == found["before"]["places"]
    change = found["change"]
    assert found["after"]["edges"] == found["before"]["edges"] + len(change["added"]) - len(change["removed"])
    assert found["structure_evaluation"] and 0 <= found["disclosure_risk"] <= 1
    assert [*found["attacks"]][:2] == ["surroundings", "learned"] and len(found["attacks"]) == 3
    assert all("of the" in warning for warning in found["warnings"])


def test_the_page_draws_a_graph_and_protects_it(server: Server, browser: Any, folder: Path) -> None:
    write_graph(GRAPH, folder / "network.graphml")
    with visiting(browser, server) as page:
        page.get_by_role("button", name="network.graphml").click()
        page.get_by_role("heading", name="The graph as it is").wait_for()
        assert page.get_by_role("navigation").get_by_role("link").all_inner_texts() == ["Graphs"]
        page.wait_for_selector("figure.chart canvas")
        for button in ("Nearer", "Farther", "Farther"):
            page.get_by_role("button", name=button).click()
        page.get_by_label("Who knows whom").select_option("k_degree")
        page.get_by_role("button", name="Protect the graph").click()
        page.get_by_role("heading", name="What was lost").wait_for()
        project = page.url.split("/projects/")[1].split("/")[0]
        with server.client() as client:
            found = client.get(f"/api/projects/{project}/runs/{run_shown(page)}/graph_protection").json()
        assert f"+{len(found['change']['added'])}" in page.locator(".numbers").inner_text()
        assert f"{100 * found['information_loss']:.1f} %" in page.locator(".numbers").inner_text()
        check_usable(page)


def test_a_file_that_is_no_graph_is_refused_and_leaves_nothing(server: Server, folder: Path) -> None:
    (folder / "broken.graphml").write_text("<graphml><graph>")
    before = server.projects()
    with server.client() as client:
        answer = client.post("/api/projects", json={"path": "broken.graphml"})
    assert answer.status_code == 422 and "broken.graphml" in answer.json()["error"]
    assert server.projects() == before
