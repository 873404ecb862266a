"""The true front: on classic files, who loses least and gives least away, by the verdict and by another judge."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from sfumato.core import Cancelled, ParameterError, param, progress
from sfumato.jobs import Drawing, Findings, Line, Reproduction
from sfumato.masking import make_masking
from sfumato.parallel import Workers
from sfumato.reproductions._front_files import (
    EVOLVED,
    FILES,
    HONEST,
    ORIGINAL,
    RESAMPLE,
    Found,
    bench_of,
    classic,
    presets,
    same_files,
)
from sfumato.reproductions._front_lines import Entry, default_lines, plain_lines, standing, told_lines

INFORMED = "tree_synthesis(leaf=5)"  # what an informed office would use
PLAIN = (
    "mdav_generic(k=5)",
    "mdav_generic(k=20)",
    "mondrian(k=5)",
    "rank_swapping(p=5) + pram(p=0.9)",
    "rank_swapping(p=20) + pram(p=0.6)",
    "shuffling + pram(p=0.6)",
    "shuffling + data_swapping(p=60)",
    "noise(alpha=0.1) + pram(p=0.9)",
    "noise(alpha=0.5) + pram(p=0.6)",
)
OF_WHOLE = 3  # so many cuts of the others are one of whole Adult


class Task(NamedTuple):
    """A file to be made of one cut of a table, and judged."""

    file: str
    seed: int
    name: str
    generations: int


class Front(Reproduction):
    """Files made of four fifths of a classic table, judged with the other fifth as people outside.

    Compared are the original, a resample of it, plain methods, tree synthesis, `calibrated_synthesis` (what `protect`
    chooses by default) and `evolve`. A masking is given all columns but the confidential that it takes; in a chain each
    column goes to the first step that takes it. Adult 5,000 is a sample that is always the same; whole Adult
    is cut a third as often.

    Two judges: the verdict of the product, and one that shares no code with it (boosted trees of scikit-learn trained
    on the file and tried on people outside, tables in 10 bins, regressions with an interaction; 0 is the original
    itself and 100 unrelated columns; attackers by the nearest record, by nearness and by tracing). The floor of
    what is learned is that of the measure `learned`: members inferred from originals without themselves. The risk of a file is
    that of the worst attacker, in points above a guess, its control or people outside.

    What has to hold of the defaults, as a mean over cuts: they lose no more than a resample; people found are within the
    interval of a guess; learned above the floor at most 3; membership by nearness within 3 points of its
    control, by tracing no higher than a resample's; numbers that only one person has stand there at most a point more
    often than those of people outside; no file that is not a default is better in both loss and risk. Ctrl-C keeps what was judged;
    where not all cuts of a table were, its lines inform only.

    >>> Front.quickly().part
    ('diabetes',)
    """

    source: ClassVar[str] = "ours; files after Brand, Domingo-Ferrer & Mateo-Sanz (2002) and UCI"
    data: ClassVar[tuple[str, ...]] = ("census", "tarragona", "diabetes", "german", "adult")
    quick: ClassVar[Mapping[str, Any]] = {
        "part": ("diabetes",),
        "cuts": 1,
        "methods": ("shuffling",),
        "generations": 0,
    }

    part: tuple[str, ...] = param(default=tuple(FILES), choices=tuple(FILES), help="the tables")
    cuts: int = param(default=3, low=1, help="how often another fifth is held out; nine tell more than three")
    best: str = param(default="calibrated_synthesis", help="the masking that has to win")
    methods: tuple[str, ...] = param(
        default=(*PLAIN, INFORMED, "tree_synthesis"), help="maskings it is compared with"
    )
    evolved: tuple[str, ...] = param(
        default=presets(), choices=presets(), help=f"presets of evolve; {HONEST} has to win too"
    )
    generations: int = param(default=40, low=0, help="generations of an evolution; 0: no file is evolved")

    def check(self) -> None:
        if not self.part or not self.best:
            raise ParameterError(f"{self.name}: part and best must not be empty.")

    @property
    def names(self) -> tuple[str, ...]:
        """All files that are made of a cut, each once."""
        evolved = [EVOLVED + preset for preset in self.evolved if self.generations]
        return tuple(dict.fromkeys((ORIGINAL, RESAMPLE, self.best, *self.methods, *evolved)))

    @property
    def defaults(self) -> tuple[str, ...]:
        """The files that have to win."""
        return (self.best, *(EVOLVED + preset for preset in self.evolved if preset == HONEST))

    def tasks(self) -> list[Task]:
        found = []
        for file in self.part:
            names = same_files(self.names, classic(file).schema)
            cuts = max(1, self.cuts // OF_WHOLE) if file == "adult" else self.cuts
            found += [
                Task(file, self.seed + cut, name, self.generations) for cut in range(cuts) for name in names
            ]
        return found

    def study(self, workers: int) -> Findings:
        for text in (self.best, *self.methods):
            make_masking(text)  # a wrong name is refused before anything is done
        tasks = self.tasks()
        found = _all_judged(tasks, workers)
        lines: list[Line] = []
        drawings: dict[str, Drawing] = {}
        for file in self.part:
            asked = [task for task in tasks if task.file == file]
            entries = entries_of({task: found[task] for task in asked if task in found})
            lines += self._lines(file, entries, barred=all(task in found for task in asked))
            if entries:
                drawings[file.replace("_", "-")] = standing(file, entries, self.defaults)
        return Findings(tuple(lines), drawings)

    def _lines(self, file: str, entries: list[Entry], *, barred: bool) -> Iterator[Line]:
        by_name = {entry.name: entry for entry in entries}
        for name in self.defaults:  # which are two ways to one file: neither has to win over the other
            if name in by_name and RESAMPLE in by_name:
                others = [entry for entry in entries if entry.name not in self.defaults]
                yield from default_lines(file, by_name[name], others, barred=barred)
        for entry in entries:
            yield from plain_lines(file, entry)
            if entry.name in (*self.defaults, RESAMPLE, INFORMED):
                yield from told_lines(file, entry)


def entries_of(found: "Mapping[Task, Found | str]") -> list[Entry]:
    """What was found by the names of files, over all cuts on which each could be made."""
    names = dict.fromkeys(task.name for task in found)
    every = [
        Entry(
            name, tuple(one for task, one in found.items() if task.name == name and not isinstance(one, str))
        )
        for name in names
    ]
    return [entry for entry in every if entry.cuts]


def _all_judged(tasks: list[Task], workers: int) -> "dict[Task, Found | str]":
    """What was found of each task; of those that were done, where the user stopped it."""
    benches = list(dict.fromkeys(task[:2] for task in tasks))
    found: dict[Task, Found | str] = {}
    try:
        with Workers(None, workers) as crew, progress.task("Judging", len(tasks)) as bar:
            for at, one in crew.run(_judged, tasks, [benches.index(task[:2]) for task in tasks]):
                found[tasks[at]] = one
                if isinstance(one, str):
                    progress.note(f"{FILES[tasks[at].file]}: {tasks[at].name} was left out: {one}")
                bar.advance(status=f"{FILES[tasks[at].file]}, {tasks[at].name}")
    except (KeyboardInterrupt, Cancelled):
        if not found:
            raise
        progress.honour()
        progress.note(
            f"stopped after {len(found)} of {len(tasks)} files; tables that are not done inform only."
        )
    return found


def _judged(shared: None, task: Task) -> "Found | str":
    return bench_of(task.file, task.seed, task.generations).judged(task.name)
