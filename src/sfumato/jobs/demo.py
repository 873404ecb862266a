"""Protect a generated survey: nothing needed but some seconds."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from sfumato import datasets
from sfumato.core import FileError, param, progress
from sfumato.core.temporaries import sweep
from sfumato.data import Table
from sfumato.jobs._contents import Content
from sfumato.jobs._job import Job, Listing, Outcome
from sfumato.jobs._paths import check_folder
from sfumato.jobs._protection import Protection
from sfumato.jobs._randomness import Keyed
from sfumato.jobs._reading import Working
from sfumato.jobs._work import Work
from sfumato.jobs.protect import Protect

RECORDS = 300
COLUMNS = ("region", "age", "sex", "education", "income", "health")
SURVEY, SCHEMA, RELEASE = "survey.csv", "survey.schema.toml", "protected.csv"


class Demo(Keyed, Working):
    """Make a survey of 300 persons, search for the protection that loses least, and write the survey, its
    schema, the protected file and a report into FOLDER.
    """

    output: Path = param(
        default=Path("sfumato-demo"), short="o", word="FOLDER", help="where to write", writes=True
    )

    @property
    def protect(self) -> Protect:
        return Protect(
            file=self.output / SURVEY,
            schema=self.output / SCHEMA,
            output=self.output / RELEASE,
            seed=self.seed,
            secret=self.secret,
            workers=self.workers or 1,
            cluster=self.cluster,
            open_cluster=self.open_cluster,
        )

    def work(self) -> Work:
        """One process, unless more are asked for: so small a survey is done before others have begun."""
        work = super().work()
        work.workers = work.workers or 1
        return work

    def targets(self) -> dict[str, Path]:
        return {
            "survey": self.output / SURVEY,
            "survey_schema": self.output / SCHEMA,
            **self.protect.targets(),
        }

    def check_files(self) -> None:
        """Write into a new or empty folder, or over an earlier demo, and never over anything else."""
        folder = self.output
        check_folder(folder if folder.exists() else folder.parent, folder)
        sweep(folder)
        own = {path.name for path in self.targets().values()}
        if folder.exists() and any(path.name not in own for path in folder.iterdir()):
            raise FileError(f"Folder {folder} holds other files: give a new one with -o FOLDER.")

    def run(self, *, work: Work) -> "Demonstration":
        survey = datasets.household_survey(RECORDS, seed=self.seed or 0).select(COLUMNS)
        progress.note(f"protecting {survey.n} generated persons; the first time this takes half a minute.")
        return Demonstration(
            job=self, survey=survey, protection=self.protect.run(work.open(survey), work=work)
        )


class Demonstration(Outcome):
    """A generated survey, and what protecting it came to."""

    survey: Table = field(repr=False)
    protection: Protection

    def contents(self) -> Mapping[str, Content]:
        survey = {"survey": self.survey, "survey_schema": self.survey.schema.to_toml()}
        return {**survey, **self.protection.contents()}

    def told(self) -> Iterator[str | Listing]:
        yield from self.protection.told()
        assert isinstance(self.job, Demo)
        files = self.job.targets()
        survey, schema = files["survey"], files["survey_schema"]
        yield (
            f"\nThe generated survey is {survey}, what its columns are says {schema}.\n"
            f"Open {files['report']} in a browser, then try it yourself:\n"
            f"  sfumato describe {survey} --schema {schema}\n"
            f'  sfumato protect {survey} --schema {schema} -o mine.csv --require "k >= 3"'
        )

    def repeated(self) -> Job | None:
        return self.protection.job

    def to_dict(self) -> dict[str, Any]:
        return self.protection.to_dict()
