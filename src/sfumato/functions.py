"""Every job as a function of Python: made from the job, so that both always take the same."""

import dataclasses
import inspect
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.core import registry
from sfumato.core.parameters import Parameter, parameters

if TYPE_CHECKING:
    from sfumato.jobs import Job, Outcome


@cache
def names() -> Mapping[str, str]:
    """The functions by name, each with the name of its job.

    >>> names()["protect"], names()["group_attack"], names()["protect_graph"]
    ('protect', 'groups attack', 'graph protect')
    """
    from sfumato.jobs import function_name

    return {function_name(job): job for job in registry.names("jobs")}


@cache
def function(name: str) -> Callable[..., Any]:
    """A function that does a job on paths, frames or tables, and returns what it came to."""
    job: type[Job] = registry.load("jobs", names()[name])

    def call(*values: Any, **given: Any) -> Any:
        bound = call.__signature__.bind(*values, **given)  # type: ignore[attr-defined]
        return _done(job, dict(bound.arguments.pop("options", {})) | bound.arguments)

    call.__name__ = call.__qualname__ = name
    told = "\n".join(f"{p.name}: {p.help}" for p in job.options().values() if not p.argument)
    call.__doc__ = f"{job.summary()}\n\n{inspect.getdoc(job)}\n\n{told}"
    call.__signature__ = _signature(job)  # type: ignore[attr-defined]
    return call


def write_release(outcome: "Outcome", path: str | Path, *, source: str | Path = "") -> list[Path]:
    """Write the protected file of an outcome and everything that explains it; all of them appear, or none does.

    `source` is the file the original came from, where it was given as a table: it is named in the report, and never
    written over.

    >>> import tempfile
    >>> import pandas as pd
    >>> import sfumato
    >>> people = pd.DataFrame({"age": [31, 33, 60, 64] * 5, "town": ["Reus", "Soria"] * 10})
    >>> result = sfumato.protect(people, masking="mdav(k=4, attributes=[age])", with_verdict=False)
    >>> written = write_release(result, Path(tempfile.mkdtemp()) / "safe.csv")
    >>> pd.read_csv(written[0]).shape, sorted(path.name for path in written)[:2]
    ((20, 2), ['board.html', 'order.csv'])
    """
    from sfumato.jobs import UNNAMED_SCHEMA
    from sfumato.reports.delivery import deliver

    if outcome.job is None:
        raise TypeError("Only what a job came to can be written.")
    job: Any = outcome.job.with_(output=Path(path))
    if source:
        known = {} if job.file or job.schema else {"schema": UNNAMED_SCHEMA}  # a table knows its columns
        job = job.with_(file=Path(source), **known)
    job.check_files()
    return deliver(dataclasses.replace(outcome, job=job), job)


def _done(job: "type[Job]", given: dict[str, Any]) -> Any:
    from sfumato.jobs import ARROW, UNNAMED_SCHEMA, library_of
    from sfumato.reports.delivery import deliver

    data = {name: given.pop(name) for name in job.data if name in given}
    known = parameters(job)
    if "workers" in known and "workers" not in given:
        given["workers"] = 1  # other processes would import the caller's module again
    paths = {name: value for name, value in data.items() if isinstance(value, str | Path)}
    tables = {name: given.pop(name) for name in [*given] if _is_value(known.get(name), given[name])}
    if "schema" in tables:
        paths["schema"] = UNNAMED_SCHEMA
    made = job.from_settings({**paths, **given})
    made.check_files()
    work = made.work()
    made = made.settled(work)
    try:
        outcome = made.run(*made.read(work, **data, **tables), work=work)
        library = library_of(data[job.data[0]]) if job.data and job.data[0] in data else ARROW
        if library != ARROW:
            outcome = dataclasses.replace(outcome, library=library)
        deliver(outcome)
    except BaseException:
        work.close()
        raise
    if work.is_open:  # what came out may lie in its folder
        weakref.finalize(outcome, work.close)
    return job.returned(outcome, **data)


def _is_value(parameter: Parameter | None, value: Any) -> bool:
    """Whether something was given that stands for a file, such as a schema."""
    listed = value if isinstance(value, list | tuple) else [value]
    is_file = parameter is not None and parameter.type is Path
    return is_file and not all(isinstance(one, str | Path | None) for one in listed)


def _signature(job: "type[Job]") -> inspect.Signature:
    either, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    known = {parameter.name: parameter for parameter in job.options().values()}
    found = [inspect.Parameter(name, either, annotation=Any) for name in job.data]
    for name in (*job.positional, *(n for n in known if n not in job.data and n not in job.positional)):
        parameter = known[name]
        kind = either if name in job.positional else keyword
        default = inspect.Parameter.empty if parameter.default is dataclasses.MISSING else parameter.default
        found.append(inspect.Parameter(name, kind, default=default, annotation=_annotation(parameter)))
    if any(parameter.spread for parameter in known.values()):  # whose own parameters are options too
        found.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD, annotation=Any))
    return inspect.Signature(found)


def _annotation(parameter: Parameter) -> Any:
    kind: Any = parameter.type
    many: Any = tuple.__class_getitem__((kind, ...)) if parameter.repeated else kind
    return many | None if parameter.optional else many
