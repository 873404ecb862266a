"""Run a published study again and compare the numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import param, registry
from sfumato.jobs._job import Job, Listing, Outcome
from sfumato.jobs._paths import check_folder
from sfumato.jobs._reproduction import Reproduction
from sfumato.jobs._work import Work


class Reproduce(Job):
    """Run a published study again: a table of the published numbers, ours, and what ours must reach.

    Without NAME, list the studies. Their parameters, --seed and --workers among them, are options: see them with
    sfumato reproduce NAME --help. The status is 0 only if every bar holds. Classic files are looked for in the folder
    that the environment variable SFUMATO_DATA names.
    """

    positional: ClassVar[tuple[str, ...]] = ("study",)

    study: Reproduction | None = param(
        default=None, option="name", help="the study", argument=True, spread=True
    )
    output: Path | None = param(
        default=None,
        short="o",
        word="FOLDER",
        help="where to write the table (CSV, JSON) and the plots (SVG, PNG)",
        writes=True,
    )

    def check_files(self) -> None:
        if self.output is not None:
            check_folder(self.output if self.output.exists() else self.output.parent, self.output)

    def run(self, *, work: Work) -> Outcome:
        """Run the study; without one, say which there are."""
        if self.study is None:
            known = registry.names("reproductions")
            return Reproductions(
                job=self, studies={name: registry.summary("reproductions", name) for name in known}
            )
        return self.study.run(job=self)


class Reproductions(Outcome):
    """The studies that can be run again, each with a line about it."""

    studies: dict[str, str]

    def told(self) -> Iterator[str | Listing]:
        width = max(map(len, self.studies))
        yield "Published studies that can be run again:"
        yield from (f"  {name:<{width}}  {about}" for name, about in self.studies.items())
        yield "\nRun one: sfumato reproduce NAME; see its parameters: sfumato reproduce NAME --help"

    def to_dict(self) -> dict[str, Any]:
        return dict(self.studies)
