"""Tavrov and Chertov's group anonymity: where a group is, state by state, and swaps that hide it."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sfumato.core import ParameterError, param
from sfumato.groups.marked_signals import MarkedSignals
from sfumato.jobs import Drawing, Findings, Line, Reproduction, found_until_stopped
from sfumato.parallel import Workers
from sfumato.reproductions import _groups_lines as lines
from sfumato.reproductions._groups_country import CENSUS, SURVEY, Country, StateAttack
from sfumato.reproductions._groups_swaps import Search, Swapped, searched
from sfumato.reproductions._groups_tables import LIMIT

PARTS = ("attack", "protection", "runs", "limit")
SIGNIFICANCE = 0.0001  # that of the source is lost; with a thousand areas, one false outlier in ten countries


class Groups(Reproduction):
    """The procedure of the source on a generated census pair: one model for the country, attack and protection state by
    state.

    - `attack`: Tables 5 to 7, the rules and what they disclose in each state of the census and of the survey, totals
      beside the printed ones; `protection`: the places that the attack sees in each state of the survey are hidden,
      and it is attacked again; `runs`: so many memetic runs on one state like New York, hidden places to become
      as ordinary as others; `limit`: the same, where they may keep two of the group, as printed.

    The files of the source (IPUMS) are not ours to ship: states and areas are made up, as many of them as in the
    source, with the group gathered in eight of a hundred areas. So shares are compared, and numbers that hang on the
    file are marked as not reproducible. An expert revises the lists as in the source: true outliers where no site is
    known are taken off both. States need more than 0.5 % of the group to be listed. Distortion counts the values
    in which records that trade places differ (all attributes categorical, weights 1). A list of swaps is valid if no
    hidden place is an outlier of the crisp signal any more.

    Ctrl-C keeps the lines of what was done.

    >>> Groups.quickly().part
    ('attack', 'protection', 'runs')
    """

    source: ClassVar[str] = (
        "Tavrov & Chertov, SpringerPlus 5 (2016), Tables 5–7, Figures 1–3 and the runs of the text"
    )
    quick: ClassVar[Mapping[str, Any]] = {
        "part": ("attack", "protection", "runs"),
        "records": 100_000,
        "generations": 20,
        "state_generations": 10,
        "runs": 2,
    }

    part: tuple[str, ...] = param(default=PARTS, choices=PARTS, help="what is done")
    records: int = param(default=1_000_000, low=20_000, help="records of each file before harmonising")
    significance: float = param(default=SIGNIFICANCE, word="ALPHA", help="of outliers")
    state_generations: int = param(default=150, low=1, help="generations for each state of protection")
    runs: int = param(default=10, low=1, help="memetic runs on the state like New York")
    generations: int = param(default=1000, low=1, help="generations of each of these runs")

    def check(self) -> None:
        if not self.part:
            raise ParameterError(f"{self.name}: part must not be empty.")

    def study(self, workers: int) -> Findings:
        country = Country.made(self.records, self.significance, self.seed)
        searches = self.searches(country)
        files = {attack.file.state: attack.file for attack in country.exposed}
        found: dict[Search, Swapped] = {}
        if searches:
            with Workers(files, min(workers, len(searches))) as crew:
                attacked = "attack" in self.part
                found = found_until_stopped(crew, searched, searches, label="Groups", even_none=attacked)
        return Findings(tuple(self._lines(country, found)), _drawings(country, found))

    def searches(self, country: Country) -> list[Search]:
        """What is to be searched for; nothing where the attack sees nothing."""
        asked: list[Search] = []
        if not country.exposed:
            return asked
        if "protection" in self.part:
            asked += [
                Search("protection", one.file.state, one.found.names, self.state_generations, self.seed)
                for one in country.exposed
            ]
        chosen = country.like_new_york
        for part, limit in (("runs", None), ("limit", LIMIT)):
            if part in self.part:
                asked += [
                    Search(
                        part, chosen.file.state, chosen.found.names, self.generations, self.seed + run, limit
                    )
                    for run in range(self.runs)
                ]
        return asked

    def _lines(self, country: Country, found: Mapping[Search, Swapped]) -> Iterator[Line]:
        if "attack" in self.part:
            yield from lines.rule_lines(country)
            yield from lines.attack_lines(country)
        yield from lines.protection_lines(_of(found, "protection"))
        runs = {**_of(found, "runs"), **_of(found, "limit")}
        if runs:
            yield from lines.run_lines(runs, country.like_new_york.file.table.n)


def _of(found: Mapping[Search, Swapped], part: str) -> dict[Search, Swapped]:
    return {asked: done for asked, done in found.items() if asked.part == part}


def _drawings(country: Country, found: Mapping[Search, Swapped]) -> dict[str, Drawing]:
    """Figures 1 and 2: both signals of one state; Figure 3: what is seen before and after the swaps."""
    if not country.exposed:
        return {}
    chosen = country.like_new_york
    drawn: dict[str, Drawing] = {
        f"{file}-signals": _both_signals(attack)
        for file in (CENSUS, SURVEY)
        for attack in country.attacks[file]
        if attack.file.state == chosen.file.state
    }
    runs = [done for asked, done in found.items() if asked.part in ("runs", "limit") and done.distortions]
    if runs:
        best = min(runs, key=lambda done: done.least)
        drawn["protected-signals"] = MarkedSignals(
            title=f"State {chosen.file.state}: auxiliary signal before and after {best.swaps} swaps",
            signals=(best.before, best.after),
            marked=(chosen.found.indices, best.found.indices),
        )
    return drawn


def _both_signals(attack: StateAttack) -> MarkedSignals:
    return MarkedSignals(
        title=f"State {attack.file.state}: true and auxiliary signal",
        signals=(attack.file.truth, attack.file.seen),
        marked=(attack.true.indices, attack.found.indices),
    )
