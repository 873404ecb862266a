"""Lines of the study of groupings: Tables 5.1 to 5.4, what is said of times, and of operators alone."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from sfumato.jobs import Bar, Line
from sfumato.reproductions._grouping_searches import DYNAMIC, OURS, PRINTED, HandScores, Solved
from sfumato.reproductions._grouping_tables import FOUND, GOMM, SCORES, K
from sfumato.reproductions._marks import Why
from sfumato.search.grouping.operator_analytics import OperatorAnalytics
from sfumato.search.grouping.operator_comparison import OperatorComparison

FILES = {"census": "Census", "water_treatment": "Water-treatment"}
FOUND_IN = {"census": "Table 5.2", "water_treatment": "Table 5.1"}
COMPARED_IN = {"census": "Table 5.4", "water_treatment": "Table 5.3"}
DRAWN_IN = {"census": "Figure 4.10", "water_treatment": "Figure 4.9"}
SCALED = "values from 0 to 1"  # as the source's numbers have them
LETTER = f"{SCALED}, Algorithm 1 to the letter"
FIRM = 25  # the largest k for which the grouping one by one has the printed score to its one decimal
ONE_BY_ONE = 0.1

SCALE = "the scale of the text; on values from 0 to 1 the printed numbers come out"
MDAV = "another MDAV, perhaps: neither ours nor Algorithm 1 with its small last group has all of them"
WHYS = (
    Why(r"k = (50|100), one by one, values from 0 to 1", "from k = 50 on the last groups differ by MDAV"),
    Why("values from 0 to 1", MDAV),
    Why(PRINTED, "a best of other parts, with nearly the same score; one run"),
    Why("margin", "on standardised values; as printed, see the lines of Tables 5.1 and 5.2"),
    Why("Table", SCALE),
)

Parts = Mapping[str, Mapping[int, Solved]]


def found_lines(file: str, how: str, by_k: Mapping[int, Solved]) -> Iterator[Line]:
    """Tables 5.1 and 5.2."""
    for k, solved in by_k.items():
        what = f"{FOUND_IN[file]}, {FILES[file]}, k = {k}, {how}"
        published: Sequence[float | None] = GOMM[file][K.index(k)] if k in K else [None] * 5
        for name, ours, theirs in zip(
            ("IL", "ID", "DLD", "score", "groups"), solved.parts, published, strict=True
        ):
            bar = "<= published + 5 %" if how == PRINTED and name == "score" and theirs is not None else ""
            yield Line.of(f"{what}: {name}", ours=ours, published=theirs, bar=bar)
    for (less, before), (more, after) in pairwise(by_k.items()):
        what = f"{FILES[file]}, {how}, groups for k = {more}, against k = {less}"
        theirs = GOMM[file][K.index(more)][4] if more in K else None
        growing = Bar(comparison=">=", limit=before.groups) if how == OURS else ""
        yield Line.of(what, published=theirs, ours=after.groups, bar=growing)


def compared_lines(file: str, k: int, hand: HandScores) -> Iterator[Line]:
    """Tables 5.3 and 5.4: the groupings made by hand."""
    what, theirs = f"{COMPARED_IN[file]}, {FILES[file]}, k = {k}", _printed(file, k)
    for name, score in hand.text.items():
        yield Line.of(f"{what}, {name}: score", ours=score, published=theirs.get(name))
    for name, score in hand.scaled.items():
        firm = name == "one by one" and name in theirs and k <= FIRM
        near = _cut_to_one_decimal(theirs[name]) if firm else ""
        what_scaled = f"{what}, {name}, {SCALED}: score"
        yield Line.of(what_scaled, ours=score, published=theirs.get(name), bar=near)
        if (letter := hand.to_the_letter[name]) != score:
            yield Line.of(f"{what}, {name}, {LETTER}: score", ours=letter, published=theirs.get(name))


def margin_lines(file: str, how: str, k: int, solved: Solved, hand: Mapping[str, float]) -> Iterator[Line]:
    """What the search gained over the best grouping made by hand, on the same scale."""
    what, theirs = f"{COMPARED_IN[file]}, {FILES[file]}, k = {k}", _printed(file, k)
    best = min(hand.values())
    found = FOUND[file][K.index(k)] if k in K else None
    margin = round(min(theirs.values()) - found, 1) if found is not None else None
    limit = Bar(comparison="<=", limit=best)
    yield Line.of(f"{what}, {how} against the best by hand", published=found, ours=solved.score, bar=limit)
    yield Line.of(f"{what}, {how}, margin over the best by hand", ours=best - solved.score, published=margin)


def timing_lines(file: str, whole: Mapping[int, Solved], dynamic: Mapping[int, Solved]) -> Iterator[Line]:
    """Figure 5.1, which prints no numbers: who is faster, and whether as good."""
    spared = {k: 100 * (1 - dynamic[k].seconds / max(whole[k].seconds, 1e-9)) for k in whole if k in dynamic}
    for k, share in spared.items():
        what = f"Figure 5.1, {FILES[file]}, k = {k}"
        yield Line.of(f"{what}, {PRINTED}: seconds of the processor", ours=whole[k].seconds)
        yield Line.of(f"{what}, {DYNAMIC}: seconds of the processor", ours=dynamic[k].seconds)
        yield Line.of(f"{what}, {DYNAMIC}: seconds spared (%)", ours=share)
        worse = 100 * (dynamic[k].score / whole[k].score - 1)
        yield Line.of(
            f"{what}, {DYNAMIC}: score above that of GOMM (%), of which the text says that it is none",
            ours=worse,
            bar="<= 5",
        )


def operator_lines(
    file: str, k: int, compared: OperatorComparison, alone: Mapping[str, OperatorAnalytics]
) -> Iterator[Line]:
    """What §4.2 to §4.6 say of operators alone, in numbers."""
    where = f"{DRAWN_IN[file]}, {FILES[file]}, k = {k}"
    last = {name: scores[-1] for name, scores in compared.best.items()}
    combined = last.pop("combined")
    for name, score in last.items():
        what = f"{where}, {name.replace('_', ' ')} alone: best score over that of all"
        yield Line.of(what, ours=score / combined)
    yield Line.of(
        f"{where}: best score of all over that of the best alone",
        ours=combined / min(last.values()),
    )
    for name, one in alone.items():
        steps = one.of(name)
        what = f"Figures 4.1–4.7, {FILES[file]}, k = {k}, {name.replace('_', ' ')} alone"
        children = sum(step.children for step in steps)
        yield Line.of(f"{what}: children never used (%)", ours=sum(s.unused for s in steps) / len(steps))
        yield Line.of(f"{what}: mean lifetime", ours=sum(s.lifetime for s in steps) / len(steps))
        yield Line.of(
            f"{what}: children that were better (%)", ours=100 * sum(s.improved for s in steps) / children
        )
        yield Line.of(f"{what}: largest gain (%)", ours=max(s.best_gain for s in steps))


def _printed(file: str, k: int) -> dict[str, float]:
    return {name: scores[K.index(k)] for name, scores in SCORES[file].items()} if k in K else {}


def _cut_to_one_decimal(published: float) -> Bar:
    """Within 0.1 of a number that print cuts, and does not round, to what it shows: 24.85 is 24.8 there."""
    middle = published + 0.05
    return Bar(comparison="within", limit=middle, percent=100 * (ONE_BY_ONE + 0.05) / middle)
