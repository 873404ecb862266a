"""Take steps by hand, one by one, and see what each does to risk and loss; undo and redo them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import DataError, FileError, ParameterError, param, parameters, progress
from sfumato.data import CsvOptions, Source, layout_of
from sfumato.data.blocks import Blocks
from sfumato.data.study_file import Study
from sfumato.exports import SUFFIXES
from sfumato.jobs._hand_work import HandWork, Judge
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import FromDisk, KeyedReading, check_keys
from sfumato.jobs._study import job_of, study_of
from sfumato.jobs._work import Work
from sfumato.jobs.describe import sampled_rows
from sfumato.jobs.protect import Protect
from sfumato.masking import NOTHING, ByHand, Masking

STUDY = ".toml"
LOOKED_AT = 50_000  # records, so that every step is judged while one waits
SHARED = (
    "file",
    "schema",
    "keys",
    "delimiter",
    "encoding",
    "header",
    "no_header",
    "decimal",
    "thousands",
    "quote",
    "comment",
    "dates",
    "sheet",
    "by_hand",
)  # with a job that protects


class Steps(KeyedReading, Seeded, FromDisk):
    """Take steps on FILE by hand, and see after each what intruders still see and what analysts lose.

    FILE is the file with the records, or the study that holds the steps so far; --into names such a study where there
    is none yet. A step is a masking with its parameters: --add "recoding(to={alone = [divorced, widowed]},
    attributes=[marital])". With --undo the last step is taken back, with --redo it is done again. --fix names columns
    that nothing may change.

    The study is that of sfumato protect, which does the steps first and lets the search do the rest: sfumato run
    STUDY.toml -o OUT. With --export the steps are written as Python (.py), as R with sdcMicro (.R), or for Stata (.do).

    Steps that draw at random are shown as one draw; a release draws anew.

    >>> Steps(file="survey.csv", add=["rounding(base=5, attributes=[age])"], into="work.toml").spec()
    {'job': 'steps', 'add': ['rounding(base=5.0, attributes=[age])'], 'into': 'work.toml', 'file': 'survey.csv'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> work = sfumato.steps(people[["age", "sex"]]).then("rounding(base=10, attributes=[age])")
    >>> work.to_frame()["step"].tolist()[1:], len(work.undo().to_frame())
    (['rounding(base=10.0, attributes=[age])'], 1)
    """

    by_hand: ByHand = param(default=NOTHING, help="the steps so far", spread=True)
    add: tuple[Masking, ...] = param(
        default=(), word="STEP", help="take this step, or several with + between them; may be repeated"
    )
    undo: bool = param(default=False, help="take back the last step")
    redo: bool = param(default=False, help="do again the step that was taken back last")
    fix: tuple[str, ...] = param(default=(), word="COLUMN", help="let nothing change these columns")
    free: tuple[str, ...] = param(default=(), word="COLUMN", help="let these columns be changed again")
    into: Path | None = param(
        default=None,
        word="STUDY.toml",
        help="keep the steps in this study",
        usual="FILE, where that is a study",
        writes=True,
        suffixes=(STUDY,),
    )
    export: Path | None = param(
        default=None,
        word="FILE",
        help=f"write the steps in another language, by the suffix: {', '.join(SUFFIXES)}",
        writes=True,
        suffixes=SUFFIXES,
    )

    positional: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        super().check()
        if self.redo and (self.undo or self.add):
            raise ParameterError(
                f"{self.name}: redo goes with neither undo nor add: take one step at a time."
            )
        if _is_study(self.file) and self.by_hand != NOTHING:
            raise ParameterError(
                f"{self.name}: {self.file} holds the steps so far: use add, undo, redo, fix and free in place of "
                f"{' and '.join(self.by_hand.settings())}."
            )

    @property
    def kept_in(self) -> Path | None:
        """The study that holds the steps."""
        return self.into or (self.file if _is_study(self.file) else None)

    def targets(self) -> dict[str, Path]:
        found = {"into": self.kept_in, "export": self.export}
        return {name: path for name, path in found.items() if path is not None}

    def inputs(self) -> list[Path]:
        return [path for path in super().inputs() if not _is_study(path) or path == self.schema]

    def check_files(self) -> None:
        super().check_files()
        if self.into is not None and self.into.exists() and not _is_study(self.file):
            raise FileError(
                f"Output {self.into} exists already: go on with it (sfumato steps {self.into}), or give another name."
            )

    def settled(self, work: Work) -> Self:
        """With the steps of the study, and those that were asked for now."""
        job = self._from_study() if _is_study(self.file) else self
        hand = job.by_hand.undo() if self.undo else job.by_hand.redo() if self.redo else job.by_hand
        hand = hand.freeing(self.free) if self.free else hand
        for step in self.add:
            hand = hand.added(step)
        asked = dict.fromkeys(("add", "fix", "free"), ()) | {"undo": False, "redo": False}
        return job.with_(by_hand=hand.fixing(self.fix), **asked)

    def _from_study(self) -> Self:
        """As the study says; what was said now counts more."""
        protect, path = self.protect_job(), self.kept_in
        given = self.non_defaults()
        told = {name: getattr(protect, name) for name in SHARED if name not in given or name == "file"}
        if protect.file is None:
            raise FileError(f"{self.file}: file is missing.")
        return self.with_(**told, into=path)

    def protect_job(self) -> Protect:
        """The job that the study says; where there is none yet, one that says nothing."""
        path = self.file if _is_study(self.file) else self.kept_in
        if path is None or not (path.exists() or path == self.file):
            return Protect()
        found = job_of(Study.read(path), source=str(path), folder=path.parent, complete=False)
        if not isinstance(found, Protect):
            raise FileError(f"{path}: steps belong to a study of protect. Got one of {found.name}.")
        return found

    def read(self, work: Work, **given: Any) -> tuple[Any, ...]:
        if _is_study(given.get("file")):
            given = {**given, "file": self.file}
        return super().read(work, **given)

    def run(self, source: Source, *, work: Work) -> HandWork:
        check_keys(source.schema)
        table = source.table
        if isinstance(table, Blocks) or table.n > LOOKED_AT:
            progress.note(f"looking at a random sample of {min(LOOKED_AT, table.n)} of {table.n} records.")
        looked_at = table.take(sampled_rows(table.n, LOOKED_AT, self.randomness))
        if looked_at.n == 0:
            raise DataError("The table holds no record: there is nothing to protect.")
        judge = Judge(looked_at, self.seed)
        states = judge.states(self.by_hand)
        return HandWork(job=self, by_hand=self.by_hand, states=states, records=table.n, judge=judge)

    def _finished(self, hand: ByHand) -> Protect:
        """The job that lets the search do the rest."""
        told = {name: getattr(self, name) for name in SHARED if name != "by_hand"}
        return self.protect_job().with_(**told, by_hand=hand)

    def study_text(self, target: Path, hand: ByHand) -> str:
        """The study with the steps as they are now; whatever else it says stays."""
        own = {parameters(Protect)[name].key for name in SHARED if name != "by_hand"} | set(
            ByHand.option_keys()
        )
        known = Study.read(target).settings if target.exists() else {}
        rest = {key: value for key, value in known.items() if key.replace("_", "-") not in own}
        made = study_of(self._finished(hand), folder=target.parent)
        told = {key: value for key, value in made.settings.items() if key in own}
        return Study(command=made.command, settings={**told, **rest}).to_toml()

    def script_facts(self, folder: Path, hand: ByHand) -> dict[str, Any]:
        """What a script needs to know beside the steps; its paths start in a folder."""
        protect = self._finished(hand)
        known = {p.name: p for p in Protect.options(protect.settings()).values()}
        study = study_of(protect, folder=folder)
        arguments = {
            known_name: list(value) if isinstance(value, tuple) else value
            for known_name, parameter in known.items()
            if (value := study.settings.get(parameter.key)) is not None
        }
        file = arguments.pop("file", "FILE.csv")
        for name in ByHand.option_keys():
            arguments.pop(name, None)
        return {"file": str(file), "text": self._layout(), "arguments": arguments, "by_hand": hand}

    def _layout(self) -> CsvOptions:
        """How the file is laid out, where it is delimited text; as usual where it cannot be seen."""
        found = layout_of(self.file, self.text) if self.file is not None and self.file.is_file() else None
        return self.text if found is None else found.options

    def written_told(self) -> Iterator[str]:
        """What was written, and how to go on."""
        if self.into is not None:
            here = os.path.relpath(self.into)
            yield f"Kept in {here}. The search does the rest with: sfumato run {here} -o OUT"
        if self.export is not None:
            yield f"Wrote {self.export}."


def _is_study(file: Any) -> bool:
    return isinstance(file, str | Path) and Path(file).suffix.lower() == STUDY
