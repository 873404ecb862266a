"""The lines of the study of group anonymity."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from sfumato.groups.adequacy import Adequacy
from sfumato.jobs import Line
from sfumato.reproductions import _groups_tables as printed
from sfumato.reproductions._groups_country import CENSUS, SURVEY, Country
from sfumato.reproductions._groups_swaps import Search, Swapped
from sfumato.reproductions._groups_tables import Counts
from sfumato.reproductions._marks import mark

TABLES = {CENSUS: ("Table 6", printed.TABLE_6), SURVEY: ("Table 7", printed.TABLE_7)}
MADE_UP = "not reproducible: a made-up country"
LOST = "not reproducible: lost in our copy"
OTHER_STATE = "not reproducible: a made-up state"
SHARE = 1.0  # percent of places within which two shares are the same
WALKED = "transport"  # the variable that all printed rules speak of


def rule_lines(country: Country) -> Iterator[Line]:
    """Table 5: how many rules, what they have in common, and the best of them."""
    vocabulary, qualities = country.model.vocabulary, country.qualities.values()
    place = vocabulary.names.index(WALKED)
    words = [word.name for word in vocabulary.variables[place].words]
    walks = 1 + words.index("walked")
    share = 100 * float(np.mean([rule[place] == walks for rule in country.model.rules]))
    yield Line.of(f"Table 5: rules [{MADE_UP}]", ours=len(country.model.rules), published=len(printed.RULES))
    yield Line.of(f"Table 5: rules that say so of walking to work, % [{MADE_UP}]", ours=share, published=100)
    columns = {
        "discriminative factor": [one.discriminative_factor for one in qualities],
        "relative confidence": [one.relative_confidence for one in qualities],
        "support": [one.support for one in qualities],
    }
    for (name, values), theirs in zip(columns.items(), zip(*printed.RULES, strict=True), strict=True):
        best = max(theirs)
        held = mark(max(values), best, same=0.01 * best, higher=True, why="made-up people")
        yield Line.of(f"Table 5: largest {name} [{held}]", ours=max(values), published=best)


def attack_lines(country: Country) -> Iterator[Line]:
    """Tables 6 and 7: the totals against the printed ones, and each state."""
    for file, (title, table) in TABLES.items():
        judged = country.adequacy(file)
        yield from _total_lines(f"{title}, {file}", judged, printed.total(table))
        for attack in country.attacks[file]:
            counts = _counts(attack.adequacy)
            where = f"{title}, {file}, state {attack.file.state}"
            yield Line.of(f"{where}: outliers disclosed", ours=counts.true - counts.undisclosed)
            yield Line.of(f"{where}: outliers undisclosed", ours=counts.undisclosed)
            yield Line.of(f"{where}: false outliers", ours=counts.false)


def _total_lines(where: str, judged: Adequacy, theirs: Counts) -> Iterator[Line]:
    ours = _counts(judged)
    disclosed, false = ours.disclosed_percent, ours.false_percent
    held = mark(disclosed, theirs.disclosed_percent, same=SHARE, higher=True)
    yield Line.of(
        f"{where}: outliers disclosed, % of the true ones [{held}]",
        ours=disclosed,
        published=theirs.disclosed_percent,
        bar=">= 60",
    )
    held = mark(false, theirs.false_percent, same=SHARE, why="made-up areas")
    yield Line.of(
        f"{where}: false outliers, % of those seen [{held}]",
        ours=false,
        published=theirs.false_percent,
        bar="<= 10",
    )
    for name, count, other in zip(Counts._fields, ours, theirs, strict=True):
        yield Line.of(f"{where}: all states, outliers {name} [{MADE_UP}]", ours=count, published=other)
    for name, value in (("accuracy", judged.accuracy), ("Youden's J", judged.youden), ("ln B", judged.ln_b)):
        yield Line.of(f"{where}: {name} [{LOST}]", ours=value)


def _counts(judged: Adequacy) -> Counts:
    hit, false, missed, _ = judged.confusion
    return Counts(true=hit + missed, undisclosed=missed, seen=hit + false, false=false)


def protection_lines(found: Mapping[Search, Swapped]) -> Iterator[Line]:
    """Each state after its swaps, and all of them together."""
    if not found:
        return
    left = {asked: set(asked.hidden) & set(done.found.names) for asked, done in found.items()}
    new = {asked: set(done.found.names) - set(asked.hidden) for asked, done in found.items()}
    hidden = sum(len(asked.hidden) for asked in found)
    yield Line.of("protection, all states: places to hide", ours=hidden)
    yield Line.of("protection, all states: places still seen", ours=_size(left.values()), bar="<= 0")
    yield Line.of("protection, all states: other places seen", ours=_size(new.values()))
    yield Line.of("protection, all states: swaps", ours=sum(done.swaps for done in found.values()))
    for asked, done in found.items():
        where = f"protection, state {asked.state}"
        yield Line.of(f"{where}: places to hide", ours=len(asked.hidden))
        yield Line.of(f"{where}: places still seen", ours=len(left[asked]))
        yield Line.of(f"{where}: other places seen", ours=len(new[asked]))
        yield Line.of(f"{where}: swaps", ours=done.swaps)
        yield Line.of(f"{where}: distortion", ours=done.least)


def run_lines(found: Mapping[Search, Swapped], records: int) -> Iterator[Line]:
    """Several runs on one state, beside ten on that of New York."""
    for limit in dict.fromkeys(asked.limit for asked in found):
        done = [one for asked, one in found.items() if asked.limit == limit]
        held = "as many as elsewhere" if limit is None else f"at most {limit:g}"
        where = f"{len(done)} memetic runs, hidden places hold {held}"
        yield from _lists_lines(where, done, records, barred=limit is None)


def _lists_lines(where: str, done: Sequence[Swapped], records: int, *, barred: bool) -> Iterator[Line]:
    lists = sum(one.lists for one in done)
    distortions = [distortion for one in done for distortion in one.distortions]
    valid, theirs = 100 * len(distortions) / lists, 100 * printed.VALID / printed.LISTS
    stands = mark(valid, theirs, same=0.05, higher=True, why="ordinary areas here have more of the group")
    yield Line.of(
        f"{where}: valid lists, % [{stands}]",
        ours=valid,
        published=theirs,
        bar=">= 98" if barred else "",
    )
    least = min(distortions, default=math.nan)
    mean = float(np.mean(distortions)) if distortions else math.nan
    for name, ours, other in (("least", least, printed.LEAST), ("mean", mean, printed.MEAN)):
        yield Line.of(f"{where}: {name} distortion [{OTHER_STATE}]", ours=ours, published=other)
        share = 100 * ours / (records * printed.ATTRIBUTES)
        source = 100 * other / (printed.RECORDS * printed.ATTRIBUTES)
        yield Line.of(
            f"{where}: {name} distortion, % of values [{OTHER_STATE}]", ours=share, published=source
        )
    swaps = float(np.mean([one.swaps for one in done]))
    yield Line.of(f"{where}: swaps of the best lists [{LOST}]", ours=swaps)


def _size(sets: Iterable[set[str]]) -> int:
    return sum(map(len, sets))
