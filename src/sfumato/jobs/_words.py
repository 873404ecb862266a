"""Numbers and methods in a few words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sfumato.core import Method
from sfumato.jobs._job import Job

Part = TypeVar("Part", bound=Method)

FILES = {
    ".report.html": "the report: open it next",
    ".record.json": "all that is needed to repeat and to audit the choice",
    ".schema.toml": "the schema of the protected file",
    ".risk-utility.svg": "the candidates by loss and risk",
}


def percent(value: float) -> str:
    """A percentage as people read it.

    >>> percent(12.345), percent(0.0)
    ('12.35', '0.00')
    """
    return f"{value:.2f}"


def release_lines(records: int, names: Sequence[str], job: Job | None) -> Iterator[str]:
    """What a release consists of, and what each file is."""
    return file_lines(f"Wrote {records} records and {len(names)} columns:", job, FILES)


def file_lines(heading: str, job: Job | None, known: Mapping[str, str]) -> Iterator[str]:
    """The files that a job wrote, and what each is by its ending; nothing where there are none."""
    paths = [] if job is None else list(job.targets().values())
    if not paths:
        return
    yield heading
    width = max(len(str(path)) for path in paths)
    for path in paths:
        ends = (text for ending, text in known.items() if path.name.endswith(ending))
        about = next(ends, "the protected file")
        yield f"  {path!s:<{width}}  {about}".rstrip()


def told_apart(methods: Sequence[Part]) -> dict[str, Part]:
    """Methods by their names; two of the same name are told apart by their parameters.

    >>> from sfumato.masking import Mdav
    >>> list(told_apart([Mdav(k=3), Mdav()])), list(told_apart([Mdav(k=3)]))
    (['mdav(k=3)', 'mdav'], ['mdav'])
    """
    names = [method.name for method in methods]
    return {one.name if names.count(one.name) == 1 else one.plain(): one for one in methods}
