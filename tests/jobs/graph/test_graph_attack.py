import numpy as np
import pyarrow as pa
import pytest

import sfumato
from sfumato.core import ParameterError
from sfumato.core.progress import listening
from sfumato.data import table_from_frame
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.attribute_protection import NODE
from sfumato.graphs.surroundings import surroundings
from sfumato.jobs.graph.attack import attack_graph
from sfumato.jobs.graph.protect import GraphProtect, protect_structure


class Notes:
    def __init__(self):
        self.said = []

    def started(self, task):
        pass

    advanced = finished = started

    def noted(self, message):
        self.said.append(message)


def people(n=60):
    """A graph whose people have columns of all scales, one that names them, and one that links them."""
    rng = np.random.default_rng(1)
    table = table_from_frame(
        pa.table(
            {
                "name": [f"p{i}" for i in range(n)],
                "age": rng.integers(18, 80, n),
                "pay": rng.lognormal(7, 1, n),
                "sex": rng.choice(["f", "m"], n),
                "level": rng.choice(["low", "mid", "high"], n),
                "town": rng.choice(["a", "b", "c"], n),
                "home": rng.integers(0, 20, n),
            }
        )
    )
    roles = {"name": "identifier", "home": "household"}
    others = dict.fromkeys(("age", "pay", "sex", "level", "town"), "key")
    schema = table.schema.with_roles(roles | others)
    schema = schema.replace([schema["level"].evolve(scale="ordinal")])
    return profile_graph(n, seed=1).with_nodes(table.with_schema(schema))


def protected(graph, **settings):
    notes = Notes()
    with listening(notes):
        return sfumato.protect_graph(graph, **settings), " ".join(notes.said)


def least_alike(table):
    rows = [tuple(row.values()) for row in table.to_arrow(text=True).to_pylist()]
    return min(map(rows.count, rows))


def test_columns_of_all_scales_are_alike_or_left_out_by_name():
    found, said = protected(people(), k=4)
    assert set(found.graph.nodes.names) == {"age", "pay", "sex", "level", "town"}
    assert least_alike(found.graph.nodes) >= 4
    assert "name (an identifier)" in said and "home (not among what is protected)" in said


def test_what_is_not_named_is_left_out_by_name():
    found, said = protected(people(), k=4, attributes=["age", "town"], keep=["sex"])
    assert set(found.graph.nodes.names) == {"age", "town", "sex"}
    assert least_alike(found.graph.nodes.select(["age", "town"])) >= 4
    assert all(f"{name} (not among what is protected)" in said for name in ("pay", "level", "home"))


def test_the_structure_alone_has_new_numbers_in_a_random_order():
    graph = people()
    found, _ = protected(graph, k=3, no_attributes=True, structure="k_degree")
    assert found.graph.nodes.names == (NODE,)
    assert not set(found.graph.nodes[NODE]) & set(range(graph.n))
    assert (found.order.rows != np.arange(graph.n)).any()
    assert np.unique(found.graph.degrees, return_counts=True)[1].min() >= 3
    told = found.to_dict()
    assert (told["losses"], told["information_loss"]) == ({}, None)
    assert told["structure_evaluation"]["edges"]["added"] == found.aligned.m - graph.m
    assert f"{found.aligned.m - graph.m:,} edges added, 0 removed" in " ".join(map(str, found.told()))


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="only the structure to protect"):
        GraphProtect(no_attributes=True)
    with pytest.raises(ParameterError, match="leaves out all columns"):
        GraphProtect(no_attributes=True, structure="k_degree", attributes=("age",))
    with pytest.raises(ParameterError, match="directed or undirected"):
        GraphProtect(directed=True, undirected=True)


def test_directions_can_be_dropped_and_what_is_dropped_is_told():
    nodes = people(30).nodes
    graph = Graph(nodes, [(0, 1), (1, 0), (2, 2), (3, 4), (3, 4)], directed=True)
    assert (graph.loops, graph.repeated) == (1, 1)
    found, said = protected(graph, k=3, undirected=True)
    assert (found.graph.directed, found.graph.m) == (False, 2)
    assert "1 edges from a node to itself were left out, and 1 that were there already" in said


def test_much_changed_edges_are_a_plain_warning():
    _, said = protected(people(), k=5, structure="super_nodes")
    assert "super_nodes changes" in said and "mostly invented" in said
    _, said = protected(people(), k=2, structure="k_degree(how=move)")
    assert "mostly invented" not in said


def test_whoever_goes_from_known_people_to_others_is_warned_of():
    _, said = protected(people(200), k=3, structure="k_degree(how=move)", seed=1)
    assert "by going from neighbour to neighbour" in said and "super_nodes" in said
    _, said = protected(people(200), k=15, structure="super_nodes", seed=1)
    assert "neighbour to neighbour" not in said


def test_intruders_find_an_unprotected_graph_and_no_drawn_one():
    graph = profile_graph(300, seed=2)
    drawn = protect_structure(graph, {"method": "super_nodes", "k": 5}, seed=1)
    open_, hidden = (attack_graph(graph, other, seed=1).results for other in (graph, drawn))
    assert list(open_) == ["surroundings", "learned", "20 people known"]
    assert open_["surroundings"].attack.low > 90 and open_["20 people known"].attack.low > 80
    assert hidden["20 people known"].attack.value < 5
    assert all(one.control.value < 5 and one.baseline.value < 1 for one in open_.values())
    assert np.isnan(open_["20 people known"].outcomes).sum() == 20  # those who were known do not count


def test_a_protection_tells_who_is_found():
    found, _ = protected(people(), k=4, seed=1)
    assert "people are found beyond a guess" in " ".join(map(str, found.told()))
    again = sfumato.attack_graph(people(), found.aligned, seed=1)
    assert {row["attack"] for row in again.to_frame().to_pylist()} == set(found.attacks.results)


def test_surroundings_are_those_of_the_neighbours():
    table = table_from_frame(pa.table({"age": [20.0, 30.0, 50.0, 9.0], "sex": ["f", "m", "m", "f"]}))
    found = surroundings(Graph(table, [(0, 1), (0, 2), (1, 2)]), ("age", "sex"))
    assert found["degree"].tolist() == [2, 2, 2, 0]
    assert found["closed pairs"].tolist() == [1, 1, 1, 0]
    assert found["age of neighbours"][:3].tolist() == [40, 35, 25]
    assert np.isnan([found["age of neighbours"][3], found["degree of neighbours"][3]]).all()
    assert found.to_arrow(text=True)["sex of neighbours"].to_pylist() == ["m", "f", "f", None]
