import json
from functools import partial

import pytest

import sfumato
from plots.results import mixed_table
from sfumato import datasets, evaluate, write_release
from sfumato.core import DataError, GateError, ParameterError, UnknownNameError, progress
from sfumato.core.errors import Cancelled
from sfumato.data import write_table
from sfumato.jobs import evolution_of
from sfumato.masking import make_masking, masked_with
from sfumato.measures import KAnonymity
from sfumato.reports.protection import protection as report_of
from sfumato.reports.repetition import repeat_command, repeat_script
from sfumato.search.fitness import Fitness
from sfumato.search.stop import Stop

evolve = partial(sfumato.evolve, preset="fast", with_verdict=False)  # the verdict is tested by itself
protect = partial(
    sfumato.protect, policy="none", with_verdict=False
)  # which take long, each tested by itself

QUICK = {"methods": ["mdav", "rank_swapping"], "seed": 3}


@pytest.fixture(scope="module")
def firms():
    return datasets.business_survey(40, seed=1)


@pytest.fixture(scope="module")
def evolved(firms):
    return evolve(firms, generations=8, **QUICK)


class Notes:
    """Listens, and stops the work at a given generation."""

    def __init__(self, stop_at=None):
        self.notes, self.stop_at, self.honours = [], stop_at, 0

    def started(self, task):
        pass

    def advanced(self, task):
        if self.stop_at and task.status.startswith(f"generation {self.stop_at},"):
            raise Cancelled("Stopped.")

    def finished(self, task):
        pass

    def found(self, what, values): ...
    def noted(self, message):
        self.notes.append(message)

    def honoured(self):
        self.honours += 1


def test_the_release_is_the_best_of_the_run(firms, evolved):
    assert evolved.score == evolved.run.score < evolved.run.history[0].best
    assert evolved.score == pytest.approx(max(evolved.loss, evolved.risk))
    again = evaluate(firms, evolved.aligned)
    assert (again.loss, again.risk) == (evolved.evaluation.loss, evolved.evaluation.risk)
    assert evolved.chosen.costs == pytest.approx((again.loss, again.risk))


def test_only_keys_change_and_stay_within_their_domain():
    survey = datasets.household_survey(50, seed=1)
    found = evolve(survey, generations=2, methods=["rank_swapping", "pram"])
    assert not set(survey.schema.with_role("identifier")) & set(found.release.names)
    for attribute in survey.schema:
        if attribute.role not in ("key", "identifier"):
            assert found.aligned[attribute.name] is survey[attribute.name]


def test_the_published_preset_has_its_own_fitness(firms):
    found = evolve(firms, preset="mares2013", generations=3, **QUICK)
    assert found.fitness.spec() == {
        "losses": [{"method": "information_loss", "numeric": "pil"}],
        "risks": [{"method": "disclosure_risk", "linkage": "both"}],
        "how": "mean",
    }
    assert found.score == pytest.approx((found.loss + found.risk) / 2)


def test_drop_best_and_selection_reach_the_optimiser(firms):
    found = evolve(firms, generations=1, drop_best=10.0, selection="printed", **QUICK)
    assert found.run.optimizer["drop_best"] == 10.0
    assert found.run.optimizer["selection"] == "printed"
    words = repeat_command(found)
    assert "--drop-best 10.0 --selection printed" in words


def test_a_front_releases_its_best_balanced_file(firms):
    found = evolve(firms, front=True, generations=2, **QUICK)
    assert found.run.optimizer["method"] == "nsga2"
    assert found.run.history[-1].hypervolume >= found.run.history[0].hypervolume
    assert found.score == min(max(one.costs) for one in found.run.population)
    assert "--methods mdav --methods rank_swapping --preset fast --front" in repeat_command(found)
    html = report_of(found, found.job)
    assert "all of information_loss, disclosure_risk at once" in html
    with pytest.raises(ParameterError, match="nsga2 has no parameter selection"):
        evolve(firms, front=True, selection="printed", **QUICK)


def test_objectives_can_be_any_measures(firms):
    found = evolve(
        firms, objectives=["sse", "record_distance", "interval_disclosure"], generations=1, **QUICK
    )
    assert found.run.objectives == ("sse", "record_distance", "interval_disclosure")
    found.plot()


def test_gates_fall_back_on_the_start(firms):
    watcher = Notes()
    with progress.listening(watcher):
        found = evolve(firms, generations=6, require=["k >= 5"], **QUICK)
    assert found.gates[0].reading >= 5
    assert KAnonymity().bind(firms).score(found.aligned).parts["smallest"] >= 5
    assert any("as it was at the start" in note for note in watcher.notes) == any(
        found.chosen is one for one in found.run.start
    )


def test_a_gate_that_nothing_meets_is_an_error_with_the_best_reading(firms):
    with pytest.raises(GateError, match=r"k_anonymity.smallest >= 999 \(the best reaches \d+\)"):
        evolve(firms, generations=1, require=["k >= 999"], **QUICK)


def test_an_interrupt_keeps_the_best_so_far(firms):
    watcher = Notes(stop_at=5)
    with progress.listening(watcher):
        found = evolve(firms, seconds=600, **QUICK)
    assert found.was_stopped and watcher.honours == 1
    assert any("the best file so far" in note for note in watcher.notes)
    same = evolve(firms, generations=found.generations, **QUICK)
    assert same.release.fingerprint == found.release.fingerprint


def test_a_run_goes_on_where_it_was_cut_off(firms, evolved, tmp_path):
    with progress.listening(Notes(stop_at=5)):
        cut = evolve(firms, generations=8, run_folder=tmp_path / "run", **QUICK)
    assert cut.generations == 5
    resumed = evolve(firms, generations=8, run_folder=tmp_path / "run", **QUICK)
    assert resumed.run.resumed >= 5
    assert resumed.release.fingerprint == evolved.release.fingerprint


def test_the_record_says_how_to_repeat_it(evolved):
    record = json.loads(json.dumps(evolved.to_dict()))
    assert record["generations"] == 8
    assert record["release"]["fingerprint"] == evolved.release.fingerprint
    assert len(record["run"]["start"]) == len(evolved.run.start)
    assert record["run"]["operators"]
    assert record["preset"] == "fast"
    assert record["job"] == {
        "job": "evolve",
        "methods": ["mdav", "rank_swapping"],
        "preset": "fast",
        "generations": 8,
        "seed": 3,
        "verdict": False,
    }


def test_the_script_of_the_report_runs(firms, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(firms, "firms.csv")
    (tmp_path / "s.toml").write_text(firms.schema.to_toml())
    found = evolve("firms.csv", schema="s.toml", generations=1, loss=["subgroup_means(groups=3)"], **QUICK)
    script = repeat_script(found)
    assert "generations=1" in script and "subgroup_means(groups=3)" in script
    exec(script, {})


def test_measures_and_optimisers_are_repeated_with_their_parameters(firms):
    asked = {"loss": [{"method": "subgroup_means", "groups": 3}], "optimizer": "evolution(batch=3)"}
    found = evolve(firms, generations=2, **asked, **QUICK)
    assert found.run.optimizer == {"method": "evolution", "batch": 3}
    command = repeat_command(found)
    assert "--loss 'subgroup_means(groups=3)'" in command and "--optimizer 'evolution(batch=3)'" in command
    assert "'subgroup_means(groups=3)'" in repeat_script(found)
    assert "sfumato evolve" in report_of(found, found.job)


def test_an_optimiser_of_something_else_is_refused(firms):
    with pytest.raises(ParameterError, match=r"evolve: optimizer must be one of .*evolution.* Got 'gomm'"):
        evolve(firms, optimizer="gomm", generations=1, **QUICK)


@pytest.mark.usefixtures("drawn")
def test_the_report_shows_the_evolution(firms):
    evolved = sfumato.evolve(firms, preset="fast", generations=2, **QUICK)
    html = report_of(evolved, evolved.job)
    for words in ("The evolution", "Score by generation", "What the operators did", "What others say of it"):
        assert words in html
    assert html.count("<svg ") == 7
    assert "The search made none of the risks worse" in html or evolved.reversion in html


@pytest.mark.usefixtures("drawn")
def test_odd_tables_are_evolved_and_reported(tmp_path):
    """Missing values, constants, empty categories, names that are no words."""
    table = mixed_table(60)
    found = evolve(table, generations=2, methods=["mdav", "rank_swapping", "pram"])
    for path in write_release(found, tmp_path / "out.csv", source="/home/ann/people.csv"):
        text = path.read_text(encoding="utf-8")
        assert "SECRET" not in text
        assert "/home/ann" not in text or path.name == "study.toml"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"preset": "slow"}, ParameterError),
        ({"methods": ["no_such"]}, UnknownNameError),
        ({"add": ["dbil"]}, DataError),
        ({"keep": ["no_such"]}, UnknownNameError),
        ({"require": ["k_anonymity.smalest >= 3"]}, UnknownNameError),
        ({"seconds": 0.0}, ParameterError),
        ({"drop_best": 100.0}, ParameterError),
        ({"workers": 0}, ValueError),
    ],
)
def test_wrong_arguments_are_refused(firms, arguments, error):
    with pytest.raises(error):
        evolve(firms, **{"generations": 1, "methods": ["mdav"]} | arguments)


def test_nothing_to_evolve(firms):
    with pytest.raises(DataError, match="holds no record"):
        evolve(firms.take([]))
    other = firms.with_schema(firms.schema.with_roles(dict.fromkeys(firms.names, "other")))
    with pytest.raises(DataError, match="No attribute has the role key"):
        evolve(other)


@pytest.fixture(scope="module")
def protection(firms):
    return protect(firms, evolve=Stop(generations=8), **QUICK)


def test_protect_releases_the_evolved_file_if_it_is_better(firms, protection):
    assert protection.is_evolved and evolution_of(protection) is protection.evolution
    assert protection.evolution.score < protection.chosen.score("max")
    assert protection.loss == evaluate(firms, protection.aligned).loss < 100
    plain = protect(firms, **QUICK)
    assert plain.evolution is None and plain.chosen.masking == protection.chosen.masking
    assert evolution_of(plain) is None


def test_how_long_to_evolve_is_no_place_for_another_rule(firms):
    with pytest.raises(ParameterError, match="protect: evolve must be a duration"):
        protect(firms, evolve=Stop(generations=1, target=100.0), **QUICK)


def test_protect_keeps_the_candidate_if_evolving_finds_nothing(firms):
    watcher = Notes()
    with progress.listening(watcher):
        found = protect(firms, evolve="1g", target=100.0, require=["k >= 5"], **QUICK)
    assert not found.is_evolved
    assert found.aligned.fingerprint == masked_with(found.chosen.masking, firms, seed=3).fingerprint
    assert any("nothing better" in note for note in watcher.notes)
    record = found.to_dict()
    assert record["evolution"]["released"] is False
    assert make_masking(record["chosen"]["masking"]) == found.chosen.masking
    assert "No evolved file is better than the best candidate" in report_of(found, found.job)


def test_the_report_of_an_evolved_protection_shows_both(protection):
    html = report_of(protection, protection.job)
    for words in ("The choice", "Evolving the best candidates", "--evolve 8g"):
        assert words in html
    assert "evolve='8g'" in repeat_script(protection)
    assert protection.to_dict()["evolution"]["released"] is True
    assert protection.evolution.fitness == Fitness()
