import json
from typing import ClassVar

import numpy as np
import pytest

from sfumato import datasets, evolve_pram
from sfumato.core import DataError, ParameterError, progress
from sfumato.core.results import plain
from sfumato.data import Attribute, Schema, Table
from sfumato.jobs._pram import guess
from sfumato.masking import Pram
from sfumato.reproductions.pram import ATTRIBUTES, FALLS
from sfumato.search.matrices import links as matrix_links
from sfumato.search.stop import Stop


def people(n=150):
    rng = np.random.default_rng(0)
    region = rng.integers(0, 4, n)
    sector = (region + rng.integers(0, 2, n)) % 3
    sector[:4] = -1
    schema = Schema(
        [
            Attribute(name="region", scale="ordinal", role="key", categories=tuple("abcd")),
            Attribute(name="sector", scale="nominal", role="key", categories=tuple("xyz")),
            Attribute(name="vote", scale="nominal", categories=("no", "yes")),
        ]
    )
    return Table(schema, {"region": region, "sector": sector, "vote": (region > 1).astype(int)})


@pytest.fixture(scope="module")
def found():
    return evolve_pram(people(), generations=60, fresh=6, direct=2, seed=3)


def test_the_score_falls_on_files_that_the_search_has_not_seen(found):
    assert found.attributes == ("region", "sector")
    assert found.after.score < 0.8 * found.before.score
    assert found.fall == pytest.approx(100 * (1 - found.after.score / found.before.score))
    assert found.before.score == pytest.approx((found.before.loss + found.before.risk) / 2)
    assert np.array_equal(found.before.matrices["region"], Pram(p=0.5).matrices(people())["region"])
    for judged in (found.before, found.after, found.direct):
        for P in judged.matrices.values():
            assert np.allclose(P.sum(axis=1), 1) and (P >= 0).all()


def test_a_seed_fixes_everything(found):
    again = evolve_pram(people(), generations=60, fresh=6, direct=2, seed=3)
    assert again.matrices_text() == found.matrices_text()
    assert again.before.score == found.before.score and again.direct.score == found.direct.score
    other = evolve_pram(people(), generations=60, fresh=6, direct=2, seed=4)
    assert other.matrices_text() != found.matrices_text()


def test_what_is_written_masks_the_file(found, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(found.matrices_text(), encoding="utf-8")
    matrices = Pram(matrix=str(path)).matrices(people())
    for name, P in found.after.matrices.items():
        assert np.allclose(matrices[name], P, atol=1e-15)
    about = json.loads(path.read_text(encoding="utf-8"))["about"]
    assert not {"data", "seed"} & set(about)  # a matrix may be published
    assert about["generations"] == 60


def test_a_run_goes_on_in_its_folder(found, tmp_path):
    settings = {"fresh": 2, "direct": 0, "seed": 3}
    evolve_pram(people(), generations=20, run_folder=tmp_path, **settings)
    rest = evolve_pram(people(), generations=60, run_folder=tmp_path, **settings)
    assert rest.run.resumed == 21
    assert plain(rest.after.matrices) == plain(found.after.matrices)


def test_the_source_draws_files(found):
    drawn = evolve_pram(people(), preset="mares2014", generations=60, draws=2, fresh=6, direct=0, seed=3)
    assert drawn.direct is None
    assert drawn.after.score < drawn.before.score
    assert drawn.before.score == found.before.score  # the same fresh files


def test_an_optimiser_takes_the_place_of_a_preset(found):
    settings = {"generations": 60, "fresh": 6, "direct": 0, "seed": 3}
    printed = "matrix_evolution(steps=[flip, swap, turn, exchange], walk=10)"
    same = evolve_pram(people(), optimizer=printed, **settings)
    assert plain(same.after.matrices) == plain(found.after.matrices)
    assert json.loads(same.matrices_text())["about"]["optimizer"]["walk"] == 10
    drawn = evolve_pram(people(), optimizer="matrix_evolution", draws=2, **settings)
    source = evolve_pram(people(), preset="mares2014", draws=2, **settings)
    assert plain(drawn.after.matrices) == plain(source.after.matrices)


def test_every_rule_ends_the_search(found):
    asked = {"fresh": 1, "direct": 0, "seed": 3}
    reached = found.run.history[10].best
    for rule, ended in (
        ({"target": reached}, "the target was reached"),
        ({"stagnation": 3}, "the best score did not fall for 3 generations"),
        ({"generations": 4}, "4 generations were made"),
    ):
        one = evolve_pram(people(), **rule, **asked)
        assert one.run.reason == ended
        assert one.repeated().stop_rule == Stop(generations=one.generations)
    at_once = evolve_pram(people(), seconds=1e-9, **asked)
    assert at_once.run.reason == "1e-09 seconds were over" and at_once.generations == 0


def test_one_share_for_the_whole_matrix_keeps_invariance():
    table = people()
    asked = {"generations": 8, "fresh": 2, "direct": 0, "seed": 3}
    found = evolve_pram(table, diagonal=(0.55, 0.75), invariant=True, whole=True, **asked)
    for name, R in found.after.matrices.items():
        T = np.bincount(table[name][table[name] >= 0], minlength=len(R))
        assert np.abs(T @ R - T).max() <= 1e-9 and np.diag(R).min() >= 0.55 - 1e-9
    assert json.loads(found.matrices_text())["about"]["shape"]["whole"] is True
    with pytest.raises(ParameterError, match="whole needs the bounds of a diagonal"):
        evolve_pram(table, whole=True, **asked)


def test_matrices_are_held_to_a_diagonal_and_to_invariance():
    table = people()
    held = evolve_pram(
        table, generations=20, fresh=3, diagonal=(0.55, 0.75), invariant=True, crossed=["vote"], seed=1
    )
    assert held.direct is None and not held.renamed
    for name, P in held.after.matrices.items():
        T = np.bincount(table[name][table[name] >= 0], minlength=len(P))
        assert np.abs(T @ P - T).max() <= 1e-9
        assert (np.diag(P) >= 0.55 - 1e-9).all() and (np.diag(P) <= 0.75 + 1e-9).all()
    assert held.after.bivariate > 0 and held.after.chi_square > 0


def test_the_larger_of_loss_and_risk_can_be_lowered():
    found = evolve_pram(people(), generations=40, score="max", fresh=4, direct=3, front=True)
    assert found.after.score == max(found.after.loss, found.after.risk)
    losses = [loss for loss, _ in found.front]
    assert len(losses) >= 2 and losses == sorted(losses)


def test_a_renaming_is_told(found):
    assert found.after.guessed > found.before.guessed
    assert guess(np.eye(3)[[1, 2, 0]], np.array([5, 3, 2])).right == pytest.approx(100)
    assert guess(np.full((2, 2), 0.5), np.array([30, 70])).right == pytest.approx(70)
    assert found.renamed


def test_results_become_records_rows_and_pictures(found):
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["after"]["score"] == found.after.score
    assert record["data"] == people().fingerprint
    assert found.to_frame().num_rows == 3 * (16 + 9)
    ratios = found.after.ratios["region"]
    assert list(ratios) == list("abcd")


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"preset": "slow"}, ParameterError, "preset must be one of fast, mares2014 or nothing. Got 'slow'"),
        ({"score": "least"}, ParameterError, "score must be one of mean, max"),
        ({"draws": 0}, ParameterError, "draws must be an integer of at least 1"),
        ({"diagonal": (0.9, 0.1)}, ParameterError, "the lower one first"),
        (
            {"diagonal": (0.9,)},
            ParameterError,
            "diagonal must be a list of 2, each item a number from 0 to 1",
        ),
        ({"optimizer": "gomm"}, ParameterError, "optimizer must be one of matrix_evolution. Got 'gomm'"),
        (
            {"optimizer": "matrix_evolution", "preset": "fast"},
            ParameterError,
            "optimizer takes the place of preset: give one or the other",
        ),
        ({"attributes": ["height"]}, LookupError, "height"),
        ({"generations": -1}, ParameterError, "generations must be an integer of at least 1"),
    ],
)
def test_bad_settings_are_refused(settings, error, words):
    with pytest.raises(error, match=words):
        evolve_pram(people(), **settings)


def test_a_search_without_linkage_says_so(monkeypatch):
    class Notes:
        heard: ClassVar[list[str]] = []
        started = advanced = finished = honoured = lambda self, *task: None

        def found(self, what, values): ...
        def noted(self, message):
            self.heard.append(message)

    monkeypatch.setattr(matrix_links, "LARGEST_SPACE", 5)
    with progress.listening(Notes()):
        evolve_pram(people(), generations=2, fresh=1, direct=0)
    assert any("leaves record linkage out" in message for message in Notes.heard)


def test_an_empty_table_is_refused():
    with pytest.raises(DataError, match="nothing to evolve"):
        evolve_pram(people().take(np.arange(0)))


@pytest.mark.slow
@pytest.mark.classic("german", "flare")
@pytest.mark.parametrize("file", FALLS)
def test_the_score_falls_as_far_as_published(file):
    found = evolve_pram(datasets.load(file), attributes=ATTRIBUTES[file], direct=0)
    assert found.generations == 1100
    assert found.fall >= FALLS[file]


def test_other_measures_can_be_lowered():
    found = evolve_pram(
        people(),
        attributes=("sector",),
        loss=("dbil", "ACTBIL", "ebil"),
        generations=3,
        fresh=2,
        draws=1,
        seed=1,
    )
    losses = json.loads(found.matrices_text())["about"]["fitness"]["losses"]
    assert [(one["method"], one.get("per_cell")) for one in losses] == [
        ("dbil", None),
        ("ctbil", True),
        ("ebil", None),
    ]
    assert found.direct is None
    with pytest.raises(ParameterError, match="one-beta needs the bounds of a diagonal"):
        evolve_pram(people(), attributes=("sector",), one_beta=True)
