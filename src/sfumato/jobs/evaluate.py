"""Compare a masked file with its original: information loss and risk."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from sfumato.core import DataError, ParameterError, Seed, param, progress
from sfumato.data import Role, RuleCount, Source, Table, rules_kept
from sfumato.data.blocks import Blocks
from sfumato.jobs._job import Listing, Outcome
from sfumato.jobs._outsiders import BesideOthers, kept_job, released_again
from sfumato.jobs._randomness import Seeded
from sfumato.jobs._reading import FromDisk, Working, check_keys, second_schema
from sfumato.jobs._rehearsal import Rehearsal, rehearsals
from sfumato.jobs._verdict import People, Verdict, sense_of, verdict
from sfumato.jobs._words import percent, told_apart
from sfumato.jobs._work import Work
from sfumato.measures import Measure, Score, estimate_in_words, fitting_measures
from sfumato.measures.from_disk import cached_scores, default_measures


class Evaluate(BesideOthers, Seeded, FromDisk, Working):
    """Compare MASKED with ORIGINAL, which must hold the same records in the same order.

    All key attributes are judged by every measure that can take them, or by those that are named. MASKED may lack
    columns that are no keys, and may hold categories that ORIGINAL does not have: each of these could then be any.

    Above all stands the verdict: how many people an intruder finds, and what analysts lose. What can be learned of single
    people, and who was in the survey, is told where there are people outside to compare with: name a file of them with
    --outside, or --rehearse the job that made MASKED, as its private folder tells it, without a fifth of the records.

    Both may be folders of Parquet files. Parquet that is too large for memory is judged from disk, on all cores or
    on a cluster; risks of linkage are then estimated on a random sample, which --seed fixes.

    >>> Evaluate(original="a.csv", masked="b.csv", measures=["ctbil(dimension=3)"]).spec()
    {'job': 'evaluate', 'masked': 'b.csv', 'measure': ['ctbil(dimension=3)'], 'original': 'a.csv'}

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> masked = sfumato.mask(people, "mdav(k=5, attributes=[age])")
    >>> found = sfumato.evaluate(people[["age"]], masked[["age"]], measures=["k_anonymity"])
    >>> found.to_frame().query("part == 'uniques'")["value"].item()
    0.0
    """

    data: ClassVar[tuple[str, ...]] = ("original", "masked")

    masked: Path | None = param(default=None, help="the masked file", argument=True, needed=True)
    masked_schema: Path | None = second_schema("MASKED")
    measures: tuple[Measure, ...] = param(
        default=(),
        option="measure",
        help="measures to use, such as pil or 'interval_disclosure(per_record=true)'",
        usual="all that fit",
    )
    rehearse: bool = param(
        default=False,
        help="do the job that made MASKED once more on four fifths of ORIGINAL; the rest are people outside",
    )
    parts: bool = param(default=False, help="show what each number is made of", where=True)

    def check(self) -> None:
        super().check()
        if self.rehearse and self.outside is not None:
            raise ParameterError("A rehearsal brings its own people outside: give --rehearse or --outside.")

    def run(
        self, original: Source, masked: Source, outside: Table | None = None, *, work: Work
    ) -> "Evaluation":
        gone: dict[str, Role] = {
            name: "other" for name in original.schema.with_role("confidential") if name not in masked.names
        }
        before = original.with_schema(
            original.schema.with_roles(gone)
        ).table  # what is not released is not judged
        check_keys(before.schema)
        people = self._people(before, masked.table, outside, work)
        asked: dict[str, Any] = {"measures": self.measures, "seed": self.seed, "job": self, "people": people}
        found = scored(before, masked.table, work, **asked)
        if self.measures or isinstance(before, Blocks) or isinstance(masked.table, Blocks):
            return found
        judged = verdict(before, masked.table, people=people)
        return found.headed_by(judged)

    def _people(
        self, original: Table | Blocks, masked: Table | Blocks, outside: Table | None, work: Work
    ) -> People:
        """Releases that some people never were in: of a rehearsal, or the file itself beside people that were named."""
        if not self.rehearse and outside is None:
            return People()
        if isinstance(original, Blocks) or isinstance(masked, Blocks):
            raise DataError("People outside are compared in memory: take a random sample of the records.")
        if outside is not None:
            return People((Rehearsal(original, outside, masked),))
        if self.masked is None:
            raise DataError("A rehearsal needs the private folder of MASKED: name the file.")
        make = partial(released_again, kept_job(self.masked), work=work)
        return People(tuple(rehearsals(original, make, seed=self.seed, count=1)), is_rehearsed=True)


class Evaluation(Outcome):
    """The scores of a masked file, losses first."""

    drawn_by: ClassVar[str] = "scores"

    scores: dict[str, Score]
    senses: Mapping[str, str]
    records: int = field(default=0, repr=False)
    verdict: Verdict | None = field(default=None, repr=False)
    rules: tuple[RuleCount, ...] = field(default=(), repr=False)

    @property
    def loss(self) -> float:
        """Information loss in percent."""
        return self.scores["information_loss"].value

    @property
    def risk(self) -> float:
        """Disclosure risk in percent."""
        return self.scores["disclosure_risk"].value

    def headed_by(self, verdict: Verdict) -> Self:
        """With a verdict, whose scores come before all others."""
        scores = {**verdict.scores, **self.scores}
        senses = {**{name: sense_of(name) for name in verdict.scores}, **self.senses}
        ranked = sorted(scores, key=lambda name: senses[name])
        return dataclasses.replace(
            self, verdict=verdict, scores={name: scores[name] for name in ranked}, senses=senses
        )

    def score_of(self, measure: Measure) -> Score:
        """The score by a measure, which is told by its parameters only where another one has its name."""
        return self.scores.get(measure.plain()) or self.scores[measure.name]

    def told(self) -> Iterator[str | Listing]:
        """Losses, then risks, in percent; lower is better. What was estimated is said to be."""
        if isinstance(self.job, Evaluate):
            yield f"{self.job.masked or 'The masked file'} compared with {self.job.original or 'the original'}: {self.records} records"
        yield ""
        rows: list[tuple[str, str, str, str]] = []
        for name, score in self.scores.items():
            rows.append((self.senses[name], name, percent(score.value), estimate_in_words(score)))
            if getattr(self.job, "parts", False):
                rows += [("", f"  {part}", f"{value:.4g}", "") for part, value in score.parts.items()]
        if self.verdict is not None:
            yield from self.verdict.told()
            yield ""
        columns = 4 if any(row[-1] for row in rows) else 3
        title = "Information loss and disclosure risk (lower is better)"
        yield Listing(title, ("", "Measure", ">Value", "")[:columns], [row[:columns] for row in rows])

        yield from self.rules_told()

    def rules_told(self) -> Iterator[str]:
        """How many records break each rule, before and after; nothing where there is none."""
        told = [one for one in self.rules if one.before or one.after != 0]
        if told:
            yield f"Records that break a rule, of the {self.records} of the original and of the release:"
        for one in told:
            after = "not all its columns are there" if one.after is None else str(one.after)
            yield f"  {one.rule}: {one.before}, {after}"
        if kept := len(self.rules) - len(told):
            yield f"Rules that no record breaks, of the original or of the release: {kept}."

    def to_dict(self) -> dict[str, Any]:
        rules = [one._asdict() for one in self.rules]
        return {**super().to_dict(), **({"rules": rules} if rules else {})}

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"measure": name, "sense": self.senses[name], "part": row["part"], "value": row["value"]}
            for name, score in self.scores.items()
            for row in score._rows()
        ]


def scored(
    original: Table | Blocks,
    masked: Table | Blocks,
    work: Work,
    *,
    measures: Sequence[Measure] = (),
    seed: Seed = 0,
    job: Evaluate | None = None,
    people: People | None = None,
) -> Evaluation:
    """Judge a masked table, here or from disk; without a list, by every measure that can judge a key attribute.

    From disk, linkage is estimated from a random sample of the records, which the seed fixes, and scores are kept
    in the work folder: the same question about the same tables is answered from there.
    """
    if masked.n != original.n:
        raise DataError(
            "The masked file must hold the records of the original in the same order. "
            f"Got {masked.n} records where the original has {original.n}."
        )
    chosen = list(measures) or usual_measures(original)
    if isinstance(original, Blocks) and isinstance(masked, Blocks):
        place = work.place
        found = cached_scores(
            original,
            masked,
            folder=place.folder,
            crew=place.crew,
            measures=chosen,
            seed=seed,
            memory=place.for_database,
        )
    else:
        found = _in_memory(original, masked, chosen, people or People())
    named = told_apart(chosen)
    return Evaluation(
        job=job,
        scores={label: found[measure.plain()] for label, measure in named.items()},
        senses={label: measure.sense for label, measure in named.items()},
        records=original.n,
        rules=rules_kept(original, masked),
    )


def usual_measures(table: Table | Blocks) -> list[Measure]:
    """The fitting measures whose work is bearable for a table of this size; a note names the others."""
    if isinstance(table, Blocks):
        return default_measures(table.schema)
    fitting = fitting_measures(table)
    left_out = [measure.name for measure in fitting if table.n > measure.quick]
    if left_out:
        progress.note(
            f"{table.n} records: {', '.join(left_out)} would take long, and must be asked for by name."
        )
    return [measure for measure in fitting if measure.name not in left_out]


def _in_memory(original: Any, masked: Any, chosen: Sequence[Measure], people: People) -> dict[str, Score]:
    scores = {}
    with progress.task("Measuring", len(chosen)) as bar:
        for measure in chosen:
            if measure.outside == "unused" or not people.releases:
                scores[measure.plain()] = measure.bind(original).score(masked)
            else:
                scores[measure.plain()] = people.score(measure)
            bar.advance()
    return scores
