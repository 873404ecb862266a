"""Jobs as functions of Python: how they are called, and what is left open or closed afterwards."""

import dataclasses
import gc
import inspect

import polars as pl
import pyarrow as pa
import pytest

import sfumato
from sfumato.core import DataError, registry
from sfumato.jobs._work import Work

FRAME = pa.table({"age": [31, 33, 60, 64] * 5, "town": ["Reus", "Soria"] * 10})


@pytest.fixture
def job(monkeypatch):
    """The job of `sfumato.evaluate`, which writes down the work it is given; `then` is done first."""
    found = registry.load("jobs", "evaluate")
    found.seen, found.then, run = [], lambda work: None, found.run

    def watched(self, *tables, work):
        found.seen.append(work.workers)
        found.then(work)
        return run(self, *tables, work=work)

    monkeypatch.setattr(found, "run", watched)
    yield found
    del found.seen, found.then


@pytest.fixture
def closed(monkeypatch):
    """Each time that work is closed."""
    times, close = [], Work.close
    monkeypatch.setattr(Work, "close", lambda self: times.append(self) or close(self))
    return times


def evaluate(**options):
    return sfumato.evaluate(FRAME, FRAME, measures=["pil"], **options)


def test_a_function_has_its_name_and_tells_its_options_but_not_its_data_again():
    call = sfumato.evaluate
    assert call.__name__ == call.__qualname__ == "evaluate"
    for parameter in registry.load("jobs", "evaluate").options().values():
        assert (f"\n{parameter.name}: {parameter.help}" in call.__doc__) == (not parameter.argument)


def test_no_other_processes_are_started_unless_asked_for(job):
    evaluate()
    evaluate(workers=2)
    assert job.seen == [1, 2]


def test_what_failed_is_closed(job, closed):
    def fail(work):
        raise DataError("no")

    job.then = fail
    with pytest.raises(DataError, match="no"):
        evaluate()
    assert len(closed) == 1


def test_what_came_out_keeps_its_folder_as_long_as_somebody_holds_it(job, closed):
    folders = []
    job.then = lambda work: folders.append(work.place.folder)
    result = evaluate()
    assert folders[0].exists() and not closed
    del result
    gc.collect()
    assert not folders[0].exists() and len(closed) == 1


def test_only_what_a_job_came_to_is_written(tmp_path):
    with pytest.raises(TypeError, match="Only what a job came to"):
        sfumato.write_release(dataclasses.replace(evaluate(), job=None), tmp_path / "safe.csv")


def test_signatures_say_which_options_take_several_values():
    annotations = {name: p.annotation for name, p in inspect.signature(sfumato.protect).parameters.items()}
    assert annotations["keep"] == tuple[str, ...] and annotations["require"].__origin__ is tuple
    assert annotations["seed"] == (int | None)
    assert annotations["sample"] is int


def test_the_first_frame_decides_the_kind_of_what_comes_out():
    pandas, polars = FRAME.to_pandas(), pl.from_arrow(FRAME)
    for first, second in ((pandas, polars), (polars, pandas)):
        judged = sfumato.evaluate(first, second, measures=["pil"])
        assert type(judged.to_frame()) is type(first)
