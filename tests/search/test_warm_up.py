from sfumato import datasets
from sfumato.core import progress
from sfumato.masking import Mdav, Pram, RankSwapping
from sfumato.parallel import Workers
from sfumato.search.maskings.warm_up import warm_up
from sfumato.search.problems.key_maskings import KeyMaskings


class Watcher:
    def __init__(self):
        self.tasks = []

    def started(self, task):
        self.tasks.append(task)

    def advanced(self, task): ...
    def finished(self, task): ...
    def found(self, what, values): ...
    def noted(self, message):
        raise AssertionError(message)


def warmed(maskings, workers):
    watcher = Watcher()
    with (
        Workers(KeyMaskings(datasets.business_survey(30, seed=1), seed=0), workers) as crew,
        progress.listening(watcher),
    ):
        warm_up(crew, maskings)
    return [(task.total, task.done) for task in watcher.tasks]


def test_each_method_and_measure_is_tried_once_and_refusals_are_left_for_the_search():
    (alone,) = warmed([], 2)
    too_large = Mdav(k=50)  # refused: there are 30 records
    (tasks,) = warmed([too_large, Mdav(k=3), RankSwapping(), Pram()], 2)
    assert tasks == (alone[0] + 3, alone[0] + 3)


def test_one_worker_compiles_as_it_goes():
    assert warmed([Mdav()], 1) == []
