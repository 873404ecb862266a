import numpy as np
import pytest

import sfumato
from sfumato.core import ParameterError
from sfumato.core.progress import listening
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.structural_attacks import candidate_risk
from sfumato.jobs.graph.evaluate import evaluate_graph, evaluate_structure
from sfumato.jobs.graph.protect import protect_graph, protect_structure
from sfumato.jobs.graph.report import GraphReport, study_graph
from sfumato.plots._style import svg_text
from sfumato.reports.graph_study import graph_study


@pytest.fixture(scope="module")
def graph():
    return profile_graph(150, seed=5)


@pytest.fixture(scope="module")
def study(graph):
    return study_graph(graph, k=(2, 5, 20), runs=3, seed=1, title="People <&>")


def test_means_are_over_attributes_measures_and_runs(graph, study):
    for place, row in enumerate(study.evaluations):
        assert len(row) == 3
        means = [np.mean([np.mean(list(parts.values())) for parts in run.losses.values()]) for run in row]
        assert study.losses["mean"][place] == pytest.approx(np.mean(means))
        assert study.risks["all"][place] == np.mean([run.risks["all"] for run in row])


def test_loss_rises_and_risk_falls(study):
    assert list(study.losses["mean"]) == sorted(study.losses["mean"])
    assert list(study.risks["topics"]) == sorted(study.risks["topics"], reverse=True)


def test_knowing_more_finds_no_more(study):
    for row in study.evaluations:
        for run in row:
            singles = [run.risks[name] for name in ("topic1", "topic2", "topic3")]
            assert run.risks["all"] <= min(run.risks["topics"], run.risks["location"])
            assert run.risks["topics"] <= min(singles)


def test_one_seed_fixes_it(graph, study):
    again = study_graph(graph, k=(20, 2), runs=3, seed=1)
    assert again.losses["mean"] == study.losses["mean"][::-2]
    assert (
        study_graph(graph, k=(2,), runs=1, seed=2).losses["mean"]
        != study_graph(graph, k=(2,), runs=1).losses["mean"]
    )


def test_first_run_is_what_protect_makes(graph, study):
    found = evaluate_graph(graph, protect_graph(graph, AttributeProtection(k=5), seed=1))
    assert found.to_dict() == study.evaluations[1][0].to_dict()


def test_structure_is_judged_where_edges_differ(graph):
    same = evaluate_graph(graph, protect_graph(graph))
    assert same.structure_evaluation is None
    other = protect_structure(graph, "edge_randomisation", seed=4)
    found = evaluate_graph(graph, other)
    assert found.to_dict()["structure_evaluation"] == evaluate_structure(graph, other).to_dict()
    frame = found.to_frame().to_pylist()
    changed = {row["of"]: row["value"] for row in frame if row["measure"] == "structure"}
    assert changed["clustering"] == found.structure_evaluation.losses["clustering"].change / 100
    hits = {row["of"]: row["value"] for row in frame if row["measure"] == "found by structure"}
    assert hits == {f"H{r.query}": r.success / 100 for r in candidate_risk(graph, other)}


def test_candidate_sets_cover_all_nodes(graph):
    found = evaluate_graph(graph, graph, structure=True).structure_evaluation
    for query in ("H1", "H2", "H3"):
        assert sum(v for name, v in found.candidates.items() if name.startswith(query)) == pytest.approx(1)
    assert set(found.changes.values()) == {0.0}


def test_a_study_of_profiles_and_edges_takes_means_of_different_runs(graph, study):
    spec = {"method": "edge_randomisation", "how": "switch", "p": 30.0}
    both = study_graph(graph, k=(2, 5), runs=2, seed=1, structure=spec)
    shapes = [run.structure_evaluation for run in both.evaluations[0]]
    assert shapes[0].found != shapes[1].found
    assert both.found_by_structure["H2"][0] == pytest.approx(np.mean([s.found["H2"] for s in shapes]))
    assert both.changes["edges"] == (0.0, 0.0)
    assert both.to_frame().num_rows == 2 * (4 + 6 + 8 + 3 + 18)
    assert (study.structure, study.changes, study.candidates) == (None, {}, {})
    again = study_graph(graph, k=(5,), runs=2, seed=1, structure=spec)
    assert again.candidates["H1: 1"] == both.candidates["H1: 1"][1:]


def test_edges_take_each_k_unless_the_method_has_its_own(graph):
    for spec, sizes in (({"method": "k_degree"}, (3, 9)), ({"method": "k_degree", "k": 4}, (4, 4))):
        found = study_graph(graph, k=(3, 9), runs=1, structure=spec)
        for (run,), k in zip(found.evaluations, sizes, strict=True):
            sizes_of_sets = run.structure_evaluation.after[0].sizes
            assert sizes_of_sets[sizes_of_sets > 0].min() >= k
        assert (found.changes["edges"][0] < found.changes["edges"][1]) == (sizes[0] < sizes[1])
        assert "unknown" not in graph_study(found)


def test_identifiers_are_kept_only_by_name(graph):
    assert "user" not in protect_graph(graph).nodes
    kept = sfumato.protect_graph(graph, keep=["user"])
    assert np.array_equal(kept.aligned.nodes["user"], graph.nodes["user"])
    assert not np.array_equal(kept.graph.nodes["user"], graph.nodes["user"])


def test_frames_and_drawings(study):
    assert study.to_frame().num_rows == 3 * (4 + 6)
    assert study.evaluations[0][0].to_frame().num_rows == 3 * 5 + 6
    for result in (study, study.evaluations[0][0]):
        assert svg_text(result.plot()) == svg_text(result.plot())
        assert "topic2" in svg_text(result.plot())


def test_the_page_escapes_and_holds_the_numbers(study):
    page = graph_study(study, GraphReport(graph="<b>.graphml"))
    assert "People &lt;&amp;&gt;" in page
    assert "&lt;b&gt;.graphml" in page
    assert f"{100 * study.risks['topic1'][2]:.1f}" in page


def test_progress_is_told(graph):
    class Watcher:
        steps = 0

        def started(self, task):
            assert task.total == 4

        def advanced(self, task):
            self.steps += 1

        def finished(self, task):
            pass

    watcher = Watcher()
    with listening(watcher):
        study_graph(graph, k=(2, 3), runs=2)
    assert watcher.steps == 4


def test_something_must_be_tried(graph):
    with pytest.raises(ParameterError, match="at least one k"):
        study_graph(graph, k=())
