"""What the jobs on groups share: who is meant, when a place stands out, and the file of a third party."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from sfumato.core import DataError, ParameterError, param
from sfumato.data import Source, Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.named_values import Vital
from sfumato.groups.outliers import SIGNIFICANCE, Outliers, outliers
from sfumato.groups.signals import KINDS, Group, Signal
from sfumato.jobs._job import Job
from sfumato.jobs._reading import Text
from sfumato.jobs._work import Work

Knowledge = Vocabulary | FuzzyModel | None
"""What an attacker has beside a file: words for what is in it, or a model that was learnt before."""

SHOWN = 12  # small places that are named


class GroupJob(Job):
    """A job that looks for the places of a group."""

    vital: tuple[Vital, ...] = param(
        help="a column and the values that say who belongs; may be repeated, and all columns must agree. Several columns "
        "with & between are a combination; of such, one must agree",
        needed=True,
    )
    also: tuple[Vital, ...] = param(
        default=(),
        help="another group, by a column and its values or by several with & between; may be repeated, and each is a group "
        "of its own",
    )
    parameter: str = param(help="the column to count over, such as an area", word="NAME", needed=True)
    weight: str = param(default="", help="a column of survey weights", word="NAME")
    signal: str = param(default="quantity", choices=KINDS, help="count members, or their share of each place")
    significance: float = param(default=SIGNIFICANCE, word="ALPHA", help="of outliers")
    strike: tuple[str, ...] = param(
        default=(), word="NAME", help="places that are no secret: never counted as outliers"
    )

    smallest: int = param(
        default=30,
        low=0,
        word="N",
        help="places with fewer records are told: what stands out there may be chance",
    )

    def check(self) -> None:
        super().check()
        _ = [one.group for one in self.by_group()]  # refuses, before anything is read, what makes no group

    @property
    def group(self) -> Group:
        """Who is meant, and over what they are counted."""
        return Group.of([one.table for one in self.vital], parameter=self.parameter, weight=self.weight)

    def by_group(self) -> tuple[Self, ...]:
        """The same asked for each group alone."""
        if not self.also:
            return (self,)
        return (self.with_(also=()), *(self.with_(vital=(one,), also=()) for one in self.also))

    @property
    def about(self) -> str:
        """The group in a few words."""
        return ", ".join(one.plain() for one in self.vital)

    @property
    def vital_names(self) -> set[str]:
        """All columns that tell who belongs to one of the groups."""
        return {name for one in (*self.vital, *self.also) for name in one.table}

    def without_others(self, table: Table, one: "GroupJob") -> Table:
        """A file without the columns that tell of other groups than this one: nobody else has them."""
        hidden = self.vital_names - one.vital_names
        return table.select(name for name in table.names if name not in hidden) if hidden else table

    def small(self, signal: Signal) -> tuple[str, ...]:
        """The places with too few records to say much, in the order of the signal."""
        listed = zip(signal.places, signal.records.tolist(), strict=True)
        return tuple(place for place, records in listed if records < self.smallest)

    def small_told(self, signal: Signal) -> Iterator[str]:
        """A sentence about them, where there are any."""
        small = self.small(signal)
        if small:
            shown = ", ".join(small[:SHOWN]) + (
                f" and {len(small) - SHOWN} more" if len(small) > SHOWN else ""
            )
            yield f"Fewer than {self.smallest} records, where chance alone makes outliers: {shown}"

    def outliers(self, signal: Signal) -> Outliers:
        """The places that stand out, without those that are no secret."""
        if len(signal.places) < 2:
            raise DataError(
                f"Column {self.parameter}: all records are in one place, and nothing can stand out; name a column "
                "with several."
            )
        return outliers(signal, alpha=self.significance, strike=self.strike)


def check_of_one(job: GroupJob, known: Knowledge) -> None:
    """Refuse a model where several groups are asked for."""
    if job.also and isinstance(known, FuzzyModel):
        raise ParameterError(f"{job.name}: a model is of one group; leave out model, or ask for one group.")


def part(work: Work, at: int) -> Work:
    """The same work, with a folder of its own for each attack after the first."""
    if not at or work.run_folder is None:
        return work
    return replace(work, run_folder=work.run_folder / f"attack-{at + 1}")


class ThirdParty(Text):
    """A job that can use the file of a third party, which tells who belongs to the group."""

    auxiliary: Path | None = param(default=None, help="the third-party file", needed=True)
    auxiliary_schema: Path | None = param(
        default=None, help="what the columns of the auxiliary file are", word="FILE.toml"
    )

    def read_auxiliary(self, work: Work, given: Mapping[str, Any]) -> Source | None:
        data = given.get("auxiliary", self.auxiliary)
        schema = given.get("auxiliary_schema", self.auxiliary_schema)
        return None if data is None else work.open(data, schema=schema, options=self.text)


class Learning(ThirdParty):
    """A job that learns from such a file, in certain words, or goes by what was learnt before."""

    words: Path | None = param(
        default=None,
        word="FILE.toml",
        help="the linguistic variables",
        usual="words from the quantiles of all common columns",
    )
    model: Path | None = param(
        default=None,
        word="FILE.json",
        help="the record of an earlier attack, whose rules are taken in place of new ones",
    )

    def known_before(self, given: Mapping[str, Any]) -> Knowledge:
        model, words = given.get("model", self.model), given.get("words", self.words)
        if model is not None:
            return FuzzyModel.read(model) if isinstance(model, Path | str) else model
        return Vocabulary.read(words) if isinstance(words, Path | str) else words
