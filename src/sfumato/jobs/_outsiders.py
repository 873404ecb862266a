"""People outside: others of the same population whom a release never saw, from a file or from a rehearsal."""

import dataclasses
from pathlib import Path
from typing import Any

import sfumato.data
from sfumato.core import DataError, Key, Seed, param, stream
from sfumato.data import Source, Table, private_beside
from sfumato.data.shared_terms import in_terms_of
from sfumato.data.study_file import Study
from sfumato.jobs._reading import ReadingPair
from sfumato.jobs._released import Released
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._study import job_of
from sfumato.jobs._work import Work

STUDY = Releasing.private["study"]


class BesideOthers(ReadingPair):
    """A job on a file and a release of it that can be told of people who are in neither."""

    outside: Path | None = param(
        default=None,
        word="FILE",
        help="people of the same population who are not in ORIGINAL, with its columns: what is learned of them as well "
        "was not given away",
    )

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        """Both sources, and the people outside in the terms of the original; none where nobody was named."""
        before, after = super().read(work, **given)
        named = given.get("outside", self.outside)
        return before, after, None if named is None else self._others(named, before, work)

    def _others(self, named: Any, before: Source, work: Work) -> Table:
        source = work.open(named, like=before.schema, options=self.text)
        missing = [name for name in before.schema.names if name not in source.names]
        if missing:
            raise DataError(f"{source.path}: has no column {missing[0]}, which people outside must have too.")
        table = source.in_memory("a comparison with people outside")
        return in_terms_of(before.schema, table, before.schema.names, stream(0, "outside"))


def kept_job(released: Path) -> Releasing:
    """The job that made a release, from the study in its private folder."""
    path = private_beside(released) / STUDY
    if not path.is_file():
        raise DataError(
            f"{released}: there is no {path}, which says how it was made: it cannot be rehearsed; name people outside "
            "with --outside."
        )
    job = job_of(Study.read(path), source=str(path), folder=path.parent)
    if not isinstance(job, Releasing):
        raise DataError(f"{path}: a job that releases nothing cannot be rehearsed.")
    return job


def released_again(job: Releasing, inside: Table, seed: Seed, work: Work) -> Table:
    """What a job makes of some people only, record by record, with another key; nothing of it is written."""
    known = {field.name for field in dataclasses.fields(job)}
    blank: dict[str, Any] = {
        "output": None,
        "run_folder": None,
        "folder": None,
        "analysis": None,
        "with_verdict": False,
    }
    keyed = {"secret": seed, "seed": None} if isinstance(seed, Key) else {"seed": seed, "secret": None}
    again: Any = job.with_(**{k: v for k, v in {**blank, **keyed}.items() if k in known})
    outcome = again.run(sfumato.data.open(inside), work=work)
    if isinstance(outcome, Released):
        return outcome.aligned
    return outcome.table  # type: ignore[no-any-return]
