"""What is drawn of a run whose search lowers something else than loss and risk."""

import sfumato
from sfumato.core import progress
from sfumato.datasets import household_survey
from sfumato.web.runs.risk_utility_map import map_of
from sfumato.web.runs.run_state import RunState


class Points:
    """Listens for what a search finds."""

    def __init__(self):
        self.points = []

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def honoured(self): ...
    def noted(self, message): ...
    def found(self, what, values):
        self.points.append(dict(values))


def test_gaps_of_synthetic_files_are_told_by_their_names_and_have_no_place_on_the_map():
    watcher = Points()
    with progress.listening(watcher):
        sfumato.evolve(household_survey(100, seed=1), generations=2, seed=1, with_verdict=False, workers=1)
    last = watcher.points[-1]
    assert last["costs"].keys() == {"table_gap", "product_gap"}
    assert last["loss"] is None and last["front"] == []
    summary = {"loss": 50.0, "risk": 10.0}
    found = map_of(
        watcher.points,
        RunState(id="1", label="evolving", command="evolve", state="finished", summary=summary),
    )
    assert found["evolved"] == [] and found["release"]["loss"] == 50.0
