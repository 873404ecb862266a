"""A small example for every plot and for every way it takes, made by hand; `drawn/` tells what each looks like.

Where a plot is changed on purpose, look at its pictures, write what is drawn anew, and read what differs:

    python tests/plots/drawn_cases.py --pictures FOLDER [BEGINNING OF NAMES]
    python tests/plots/drawn_cases.py --write [BEGINNING OF NAMES]
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np
from described import described
from matplotlib.figure import Figure

from plots.results import candidate, nominal, numeric
from recorded import write
from sfumato.attacks import AttackResult, Rate
from sfumato.core.registry import load_function
from sfumato.data import Schema, Table
from sfumato.data.graph import Graph
from sfumato.groups.signals import Signal
from sfumato.jobs._combinations import CombinationProfile
from sfumato.jobs.attack import Attacks
from sfumato.masking import Chain, Mdav, Partition, Pram, RankSwapping, Rounding
from sfumato.masking.emad import DependenceTree
from sfumato.measures import Estimate, Score
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.measures.sse import Sse
from sfumato.search.contracts import Individual
from sfumato.search.fitness import Fitness, Nearness, Objectives
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep
from sfumato.search.grouping.operator_comparison import OperatorComparison
from sfumato.search.maskings.gates import Gate, GateReading
from sfumato.search.run_record import Operator, Step

FOLDER = Path(__file__).with_name("drawn")

Example = Callable[[], Figure]

of = SimpleNamespace  # what a plot reads, and no more


def case(plot: str, make: Callable[[], Any], **given: Any) -> Example:
    """A plot of what is made when it is drawn."""
    return lambda: load_function("plots", plot)(make(), **given)


# ------------------------------------------------------------------------------------------------- attacks


def attack(name: str, value: float, low: float, high: float) -> AttackResult:
    found = Rate(value=value, low=low, high=high)
    guess, shuffled = Rate(value=1.0, low=0.5, high=2.5), Rate(value=3.0, low=1.0, high=6.0)
    return AttackResult(name=name, attack=found, baseline=guess, control=shuffled, outcomes=np.zeros(3))


def attacks() -> Attacks:
    made = (
        attack("distance_linkage", 40.0, 35.5, 45.5),
        attack("membership_of_people_who_were_never_asked", 84.0, 83.0, 85.0),
        attack("interval", 100.0, 98.5, 100.0),
        attack("nearness", 70.0, 60.0, 84.5),
    )
    return Attacks(results={one.name: one for one in made})


def score(name: str, value: float, *ends: float, **parts: float) -> Score:
    facts: dict[str, Any] = {"measure": name, "value": value, "parts": parts, "seconds": 0.0}
    return Estimate(**facts, low=ends[0], high=ends[1], sample=50) if ends else Score(**facts)


def judged(*scores: Score, risks: tuple[str, ...] = ("people_found", "membership")) -> SimpleNamespace:
    found = {one.measure: one for one in scores}
    return of(scores=found, risks={name: found[name] for name in risks if name in found})


def verdict() -> SimpleNamespace:
    return judged(
        score("analyst_loss", 12.25, 10.0, 15.5),
        score("people_found", 3.5, 1.0, 6.0, guess=2.0),
        score("membership", 0.0),
    )


def evaluation() -> SimpleNamespace:
    values = {
        "information_loss": 12.5,
        "a_measure_with_a_name_longer_than_a_row": 50.0,
        "disclosure_risk": 0.0,
        "membership": -4.0,
        "both_in_one": 31.0,
    }
    senses = dict(zip(values, ("loss", "loss", "risk", "risk", "score"), strict=True))
    return of(scores={name: score(name, value) for name, value in values.items()}, senses=senses)


def combination(names: tuple[str, ...], *below: float) -> CombinationProfile:
    shares = dict(zip(("uniques", "below_3", "below_5"), below, strict=True))
    return CombinationProfile(attributes=names, smallest=1, **shares)


def profile(keys: bool = True, riskiest: int = 2) -> SimpleNamespace:
    found = [
        combination(("a column with a long name", "sex"), 25.0, 40.0, 60.0),
        combination(("age",), 0.0, 2.5, 10.0),
    ]
    every = combination(("age", "sex", "town"), 90.0, 95.0, 100.0)
    return of(keys=every if keys else None, riskiest=tuple(found[:riskiest]))


# -------------------------------------------------------------------------------------- before and after


def pair(*columns: tuple[Any, Any, Any, Any]) -> SimpleNamespace:
    """A table before and after, from attributes and values of both."""
    before = Table(Schema([one[0] for one in columns]), {one[0].name: one[2] for one in columns})
    after = Table(Schema([one[1] for one in columns]), {one[1].name: one[3] for one in columns})
    return of(original=before, aligned=after)


def same(attribute: Any, before: Any, after: Any) -> tuple[Any, Any, Any, Any]:
    return attribute, attribute, np.asarray(before), np.asarray(after)


def waves(n: int, columns: int) -> np.ndarray:
    """Numbers that hang together by pairs, without chance."""
    at = np.arange(n)[:, None] * (1 + np.arange(columns) // 2) + np.arange(columns) % 2
    return np.round(10 * np.sin(at), 1)


def correlated(columns: int, n: int = 12) -> SimpleNamespace:
    values, moved = waves(n, columns), waves(n + 3, columns)[3:]
    return pair(
        *(same(numeric(f"column {j} by a long name"), values[:, j], moved[:, j]) for j in range(columns))
    )


def undefined() -> SimpleNamespace:
    """A column that is constant afterwards, and values that are missing."""
    x, y = np.arange(8.0), np.array([0.0, 2, 1, 3, 5, 4, 6, 7])
    gaps = np.array([np.nan, 3, 2, 1, 0, 5, 6, np.nan])
    return pair(
        same(numeric("x"), x, x),
        same(numeric("y"), y, np.ones(8)),
        same(numeric("z"), gaps, x[::-1]),
        same(numeric("not a key", role="other"), x, x),
    )


def mixed() -> SimpleNamespace:
    n = 200
    at = np.arange(n)
    towns = ("Reus", "Soria", "a town whose name is too long to be written", "nowhere")
    of_towns = nominal("town", ("north", "Soria"), covers={"north": ("Reus", towns[2])})
    before, after = np.repeat([0, 1, 2], [120, 50, 30]), np.repeat([0, 1], [150, 50])
    gaps = np.where(at < 20, np.nan, at % 7)
    many = nominal("job", [f"job {j}" for j in range(16)])
    return pair(
        same(numeric("children"), gaps, np.where(at < 50, np.nan, at % 7)),
        same(numeric("wage $ with a name of more letters"), np.exp(at / 20), np.exp(at / 21)),
        (nominal("town", towns), of_towns, before, after),
        same(many, np.sqrt(at).astype(int), np.sqrt(at[::-1]).astype(int)),
        same(numeric("constant"), np.full(n, 3.0), np.full(n, 3.0)),
        same(numeric("nothing"), np.full(n, np.nan), np.full(n, np.nan)),
        same(numeric("weight", role="other"), at / 10, at / 10),
    )


def only_numbers(columns: int) -> SimpleNamespace:
    """More whole numbers than have a bin each, and others."""
    n, made = 120, []
    for j in range(columns):
        values = np.arange(n) * (1 + j) + (0.5 if j % 3 == 1 else 0.0)
        made.append(same(numeric(f"c{j}"), values, values[::-1] // 2))
    return pair(*made)


def without_records() -> SimpleNamespace:
    none = np.empty(0, int)
    return pair(
        same(numeric("x"), [], []),
        same(nominal("c", "ab"), none, none),
        same(numeric("y", role="other"), [], []),
    )


def of_many_kinds() -> SimpleNamespace:
    """Round numbers by twos and fives and by thousands, six categories, more than twelve, and ordered ones; one is not
    released."""
    n = 180
    at = np.arange(n)
    narrow = np.repeat([2.0, 2.0, 19.0], [60, 60, 60]) + at / 500
    many = np.repeat(np.arange(15), np.arange(5, 20))
    jobs, sizes = nominal("job", [f"job {j}" for j in range(15)]), nominal("size", "abcdef")
    grades = nominal("grade", ("low", "middle", "high"), scale="ordinal")
    made = pair(
        same(numeric("narrow"), narrow, narrow[::-1]),
        same(numeric("wide"), np.exp(at / 12), np.exp(at / 12)),
        same(jobs, many, many),
        same(sizes, at % 6, at[::-1] % 6),
        same(grades, (at % 7) // 3, at % 3),
        same(numeric("left out"), at, at),
    )
    return of(
        original=made.original,
        aligned=made.aligned.select([name for name in made.aligned.names if name != "left out"]),
    )


def nothing_to_show() -> SimpleNamespace:
    return pair(same(numeric("x", role="other"), np.arange(9.0), np.arange(9.0)))


# ------------------------------------------------------------------------------------------------- searches


def person(loss: float, risk: float, origin: Any, *more: float) -> Individual[Any]:
    return Individual(None, (loss, risk, *more), origin)


START = (person(10.0, 40.0, "swaps(a)"), person(30.0, 20.0, "pram(b)"), person(25.0, 45.0, "mdav(c)"))
END = (person(8.0, 30.0, "swaps(a)"), person(22.0, 18.0, "pram(b)"), person(23.0, 30.0, "mdav(c)"))

THREE = Objectives((InformationLoss(), DisclosureRisk(), Sse()))


def evolved(fitness: Any, end: tuple[Any, ...] = END, names: Any = None) -> SimpleNamespace:
    chosen = min(end, key=lambda one: fitness.score(one.costs))
    run = of(start=START, population=end, objectives=names or fitness.objectives)
    return of(run=run, fitness=fitness, chosen=chosen)


def step(at: int, volume: float | None = None, best: float = 50.0) -> Step:
    return Step(
        generation=at,
        evaluations=12 * at + 5,
        seconds=0.25 * at,
        best=best - at / 100,
        mean=best + 2 - at / 120,
        worst=best + 20 - at / 150,
        hypervolume=volume,
    )


def history(*steps: Step) -> SimpleNamespace:
    return of(history=steps)


def analytics(generations: int) -> OperatorAnalytics:
    names = ("crossover", "group_create", "element_move", "an_operator_of_tomorrow")
    steps = tuple(
        OperatorStep(
            generation=at,
            operator=name,
            children=4 + place,
            clones=1,
            survived=2,
            unused=10.0 * place + 5 * at,
            lifetime=3.0 + place - at / 4,
            improved=1 + at % 3,
            worsened=2 + place % 2,
            mean_gain=1.5 * place + at,
            best_gain=4.0 + at,
            mean_loss=2.0 + place,
            worst_loss=9.0 - at,
        )
        for at in range(1, generations + 1)
        for place, name in enumerate(names)
        if place or at == 1
    )
    held = tuple(
        GenerationStep(generation=at, best=20.0 - at, mean_groups=3.5, best_groups=2 + at % 2)
        for at in range(generations + 1)
    )
    return OperatorAnalytics(steps=steps, generations=held, children=40, judged=30)


def groupings(front: int, groups: int = 2) -> SimpleNamespace:
    places = [of(loss=5.0 + 2 * i, risk=60.0 - i, groups=(("a",),) * max(front - i, 1)) for i in range(front)]
    best = of(loss=32.0, risk=30.0, groups=(("a",),) * groups)
    return of(
        front=tuple(places),
        best=best,
        together=of(loss=40.0, risk=4.0, groups=(("a", "b"),)),
        apart=of(loss=3.0, risk=70.0, groups=(("a",), ("b",))),
    )


class Choice:
    """A choice among candidates, made by hand."""

    def __init__(self, *candidates: Any, gates: Any = (), score: str = "max", whole: Any = None):
        self.candidates, self.chosen = candidates, candidates[0]
        beaten = [any(b.loss < a.loss and b.risk < a.risk for b in candidates) for a in candidates]
        unbeaten = [one for one, is_beaten in zip(candidates, beaten, strict=True) if not is_beaten]
        self.front = sorted(unbeaten, key=lambda one: one.loss)
        self.gates, self.score, self.whole = gates, score, whole
        self.loss, self.risk = whole or (self.chosen.loss, self.chosen.risk)


def chains() -> list[Any]:
    maskings = (
        Chain((Mdav(k=5), Pram(p=0.7))),
        Chain((RankSwapping(p=20), Pram(p=0.6))),
        Mdav(k=3),
        Chain((Mdav(k=9), Pram(p=0.2), Rounding(base=5.0))),
    )
    places = ((20.0, 30.0), (35.0, 12.0), (10.0, 60.0), (70.0, 40.0))
    return [candidate(masking, *place) for masking, place in zip(maskings, places, strict=True)]


def with_gate() -> Choice:
    gate = Gate.parse("disclosure_risk <= 35")
    found = chains()
    return Choice(*found, gates=[GateReading(gate=gate, reading=30.0, holds=True)])


def of_many_methods() -> Choice:
    """More methods than there are colours, and then more ends than there are markers."""
    found = [
        candidate(of(sequence=[of(name=f"method {i:02}")], name="", spec=dict), 5.0 * i, 50.0 - 4 * i)
        for i in range(11)
    ]
    chosen = candidate(Mdav(k=4), 15.0, 25.0)
    return Choice(chosen, *found, score="mean")


# ----------------------------------------------------------------------------------------- studies and others

PLACES = {"original": (0.0, 100.0), "ours": (2.0, 1.0), "swaps": (5.0, 80.0), "cost $": (160.0, 0.0)}


def fronts(judges: int) -> SimpleNamespace:
    names = [f"judge {i}" for i in range(judges)]
    places = {
        **PLACES,
        "theirs": (3.0, 3.0),
        "nobody": (40.0, 0.0),
        "the last of them, by a name of many letters": (0.5, 0.25),
    }
    many = {f"file {i}": (10.0 + i, 60.0 - i) for i in range(9)} if judges == 1 else {}
    return of(
        title="A table",
        panels={name: {**places, **many} for name in names},
        labels={name: (f"loss of {name}", "risk") for name in names},
        ours=("ours", "theirs", *(["file 3"] if judges == 1 else [])),
        references=("original", "nobody", *(["file 4"] if judges == 1 else [])),
    )


def dispersed(published: Mapping[str, Any]) -> SimpleNamespace:
    few = [(1.0, 50.0), (20.0, 22.0)]
    many = [(30.0 + i / 5, 10.0 + i) for i in range(51)]
    points = {"swaps": few, "cost $": many, "exactly fifty": many[:50]}
    best = {"swaps": few[1], "cost $": many[0], "exactly fifty": many[0]}
    return of(title="A file", loss="Information loss", points=points, best=best, published=published)


def submitted(**given: Any) -> SimpleNamespace:
    usual: dict[str, Any] = {
        "title": "An extract",
        "published": {"others": [(26.0, 978.0), (14.0, 896.0)], "cost $": [(63.0, 979.0)]},
        "formal": {"others": [(0.0, 396.0)]},
        "ours": {"swaps": (15.8, 987.64), "copy": (100.0, 1000.0)},
        "outside": 12.6,
        "libraries": ("cost $", "not here", "others"),
    }
    return of(**{**usual, **given})


def curved(panels: int) -> SimpleNamespace:
    long = tuple((float(i), 100.0 - i / 10) for i in range(1000))
    short = tuple((float(i), 50.0 + i) for i in range(20))
    named = {"ours": short, "theirs, by a name of more than forty letters": long, "21": long[:21]}
    more = {f"another {i}": short[i : i + 2] for i in range(8)} if panels == 1 else {}
    return of(
        title="What fell",
        across="generation",
        panels={f"panel {i}": named | more for i in range(panels)},
        bold=("", "ours", "", "theirs, by a name of more than forty letters")[panels - 1],
    )


def tree(*choices: tuple[str, ...]) -> DependenceTree:
    edges = (("a", "b", 0.5), ("b", "c", 0.2), ("b", "d", 1.0), ("d", "e", 0.1))
    return DependenceTree(names=tuple("abcde"), edges=edges, choices=choices)


def over_k() -> SimpleNamespace:
    return of(
        k=(2, 5, 10),
        losses={"topics": (0.1, 0.2, 0.4), "town": (0.3, 0.35, 0.5), "mean": (0.05, 0.1, 0.2)},
        risks={"all": (0.5, 0.2, 0.1), "topics": (0.6, 0.3, 0.2)},
        title="A graph",
    )


def people(towns: list[int]) -> Table:
    names = [f"town {i:02}" for i in range(11)] + ["no one is here"]
    return Table(
        Schema([nominal("town", names), numeric("age")]),
        {"town": np.array(towns), "age": np.arange(len(towns))},
    )


def graphs(location: str = "town", n: int = 14) -> SimpleNamespace:
    towns = [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] + [-1] * (n - 14)
    before = Graph(people(towns), [(i, (i * i + 1) % 14) for i in range(14)] + [(0, 7)])
    after = before.with_nodes(people([0, 0, 1, 1, 1, 1, 3, 4, 5, 6, 7, 8, 9, 10] + [-1] * (n - 14)))
    return of(
        original=before, protected=after.with_edges([(0, 1), (0, 9), *after_edges(before)]), location=location
    )


def most_of_all(more: int) -> SimpleNamespace:
    """As many nodes and edges as are drawn, and so many more of these."""
    pairs = [(i, i + j) for j in range(1, 5) for i in range(1400)]
    before = Graph(people([0] * 1500), pairs[:5000])
    return of(original=before, protected=before.with_edges(pairs[: 5000 + more]), location="town")


def after_edges(graph: Graph) -> list[tuple[int, int]]:
    return [tuple(edge) for edge in graph.edges.tolist()[3:]]


def graph_pair(make: Callable[..., Any] = graphs, **given: Any) -> Figure:
    """On a circle: where else nodes stand is the layout's own matter."""

    def circle(graph: Graph, rng: Any) -> np.ndarray:
        turn = np.arange(graph.n) * 2 * np.pi / graph.n
        return np.column_stack([np.cos(turn), np.sin(turn)])

    with patch("sfumato.plots.graph_pair.positions", circle):
        return load_function("plots", "graph_pair")(make(**given))  # type: ignore[no-any-return]


def graph_scores() -> SimpleNamespace:
    found = {
        name: {"town": 0.25 + place / 10, "an attribute with a name of many letters": 0.5}
        for place, name in enumerate(("AAMIL", "CDIL", "DBIL"))
    }
    return of(losses=found, risks={"all": 0.125, "topics": 0.5, "town": 0.75})


def signal(values: Any, label: str = "quantity", kind: str = "quantity", names: Any = None) -> Signal:
    values = np.asarray(values, float)
    names = tuple(names or (f"place {i}" for i in range(len(values))))
    return Signal(kind=kind, label=label, places=names, values=values, records=np.ones(len(values)))


VALUES = [3, 4, 5, 4, 3, 90, 4, 5, 3, 4, 60, 4, 61, 5, 3]


def attacked(kind: str = "quantity", true: bool = True, others: tuple[Any, ...] = ()) -> SimpleNamespace:
    return of(
        signal=signal(VALUES, "seen", kind),
        found=of(indices=(5, 10)),
        true_signal=signal(VALUES[::-1], "true", kind) if true else None,
        true=of(indices=(9,)) if true else None,
        others=others,
        verdict="The attack sees 2 places of this file that stand out.",
    )


def compared(kind: str = "quantity") -> SimpleNamespace:
    return of(
        before=signal(VALUES, "before", kind),
        after=signal(sorted(VALUES), "after", kind),
        found_before=of(indices=(5,)),
        found_after=of(indices=()),
        verdict="Hidden: the attack sees none of the 1 places.",
    )


def marked(lines: int, values: Any = VALUES, marks: tuple[int, ...] = (5, 12)) -> SimpleNamespace:
    made = [signal(np.add(values, 2 * i), f"line {i}") for i in range(lines)]
    return of(title="Two areas", signals=tuple(made), marked=(marks,) * lines)


def crowded() -> SimpleNamespace:
    """More outliers than are named, and more places than have thick lines."""
    values = np.where(np.arange(301) % 20 == 7, 50 + np.arange(301) / 10, np.arange(301) % 5 - 2.0)
    return marked(1, values, tuple(np.flatnonzero(values > 40).tolist()))


def partition(lower_bound: float | None = None, groups: int = 10) -> Partition:
    at = np.arange(4 * groups)
    points = np.column_stack([(at // 4) * 3.0 + at % 2, (at // 4) % 3 + (at % 4) / 2.0])
    points[-1] = (60.0, -4.0)
    return Partition(
        labels=at // 4,
        points=points,
        k=4,
        groups=groups,
        smallest=4,
        largest=4,
        sse=1.0,
        sst=8.0,
        il=12.5,
        lower_bound=lower_bound,
        seconds=0.0,
    )


def matrices(*sizes: int) -> SimpleNamespace:
    attributes = [
        nominal(f"an attribute of {n} categories by name", [f"{j} is a category" for j in range(n)])
        for n in sizes
    ]
    table = Table(Schema(attributes), {a.name: np.zeros(3, int) for a in attributes})
    before = {a.name: _kept(a.domain_size, 0.7) for a in attributes}
    after = {a.name: _kept(a.domain_size, 0.5) for a in attributes}
    return of(original=table, before=of(matrices=before), after=of(matrices=after))


def _kept(n: int, share: float) -> np.ndarray:
    """A category stays by that share, and else becomes its neighbours, the nearer the rather."""
    far = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    others = np.where(far > 0, 0.5**far, 0.0)
    total = np.maximum(others.sum(axis=1, keepdims=True), 1e-9)
    return np.where(far == 0, share if n > 1 else 1.0, (1 - share) * others / total)


def operators(**found: Operator) -> SimpleNamespace:
    return of(operators=found)


TRIED = {
    "swap_two": Operator(tried=1200, kept=300, gain=2.5),
    "move_one": Operator(tried=50, kept=1, gain=0.04),
    "never_tried": Operator(),
    "tried_once": Operator(tried=1, kept=1, gain=0.1),
    "an_operator_with_a_name_of_more_letters": Operator(tried=2_000_000, kept=500_000, gain=3.6),
}
SCORED = of(
    title="Firms",
    k=(5, 25),
    found=(10.0, 12.0),
    groups=(1, 2),
    by_hand={"all together": (10.0, 14.0), "apart": (18.0, 11.0)},
)
OPERATORS = {
    "combined": (4.0, 3.0, 2.0),
    "group_create": (4.0, 3.5, 3.0),
    "of_tomorrow": (6.0, 3.0, 2.5),
    **{
        name: (5.0, 4.0 + at / 8, 3.0 + at / 4)
        for at, name in enumerate(
            ("crossover", "group_eliminate", "group_split", "element_swap", "element_move")
        )
    },
}


def in_their_axes(plot: str, make: Callable[[], Any]) -> Figure:
    """The second of two axes of a figure of the caller's."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    load_function("plots", plot)(make(), figure.subplots(1, 2)[1])
    return figure


def in_free_axes(plot: str, make: Callable[[], Any]) -> Figure:
    """Axes that stand in no grid."""
    figure = Figure(figsize=(8, 4))
    load_function("plots", plot)(make(), figure.add_axes((0.1, 0.1, 0.8, 0.8)))
    return figure


CASES: Mapping[str, Example] = {
    "attack_rates-one": case("attack_rates", lambda: attack("interval", 0.0, 0.0, 2.0)),
    "attack_rates-several": case("attack_rates", attacks),
    "attack_rates-none": case("attack_rates", list),
    "correlations-undefined": case("correlations", undefined),
    "correlations-written": case("correlations", lambda: correlated(7)),
    "correlations-10": case("correlations", lambda: correlated(10)),
    "correlations-more": case("correlations", lambda: correlated(21)),
    "correlations-alike": case(
        "correlations", lambda: of(original=undefined().original, aligned=undefined().original)
    ),
    "correlations-in_axes": partial(in_their_axes, "correlations", undefined),
    "correlations-in_free_axes": partial(in_free_axes, "correlations", undefined),
    "curves-1": case("curves", lambda: curved(1)),
    "curves-2": case("curves", lambda: curved(2)),
    "curves-4": case("curves", lambda: curved(4)),
    "dependence_tree-chosen": case("dependence_tree", lambda: tree(("b", "d"), ("b", "a"))),
    "dependence_tree-bare": case("dependence_tree", tree),
    "dependence_tree-no_weights": case(
        "dependence_tree",
        lambda: DependenceTree(names=("a", "b", "c"), edges=(("a", "b", 0.0), ("a", "c", 0.0)), choices=()),
    ),
    "dependence_tree-nothing": case(
        "dependence_tree", lambda: DependenceTree(names=(), edges=(), choices=())
    ),
    "dispersion-published": case(
        "dispersion", lambda: dispersed({"swaps": (18.94, 42.32), "cost $": (70.0, 90.0)})
    ),
    "dispersion-own": case("dispersion", lambda: dispersed({})),
    "distributions-mixed": case("distributions", mixed),
    "distributions-numbers": case("distributions", lambda: only_numbers(4)),
    "distributions-more": case("distributions", lambda: only_numbers(26)),
    "distributions-nothing": case("distributions", nothing_to_show),
    "distributions-no_records": case("distributions", without_records),
    "distributions-kinds": case("distributions", of_many_kinds),
    "distributions-in_axes": partial(in_their_axes, "distributions", lambda: only_numbers(3)),
    "fronts-1": case("fronts", lambda: fronts(1)),
    "fronts-2": case("fronts", lambda: fronts(2)),
    "graph_losses": case("graph_losses", over_k),
    "graph_losses-nothing": case("graph_losses", lambda: of(k=(2,), losses={}, risks={}, title="A graph")),
    "graph_pair": graph_pair,
    "graph_pair-no_places": partial(graph_pair, location="planet"),
    "graph_pair-large": partial(graph_pair, n=1501),
    "graph_pair-large-no_places": partial(graph_pair, n=1501, location="planet"),
    "graph_pair-most": partial(graph_pair, most_of_all, more=0),
    "graph_pair-more": partial(graph_pair, most_of_all, more=1),
    "graph_scores": case("graph_scores", graph_scores),
    "graph_scores-edges": case("graph_scores", lambda: of(losses={"AAMIL": {}, "CDIL": {}}, risks={})),
    "group_attack-judged": case("group_attack", attacked),
    "group_attack-blind": case("group_attack", lambda: attacked("concentration", true=False)),
    "group_attack-others": case("group_attack", lambda: attacked(others=(attacked(true=False),))),
    "group_comparison": case("group_comparison", compared),
    "group_protection": case("group_protection", lambda: of(comparison=compared("concentration"))),
    "grouping_front": case("grouping_front", lambda: groupings(6)),
    "grouping_front-40": case("grouping_front", lambda: groupings(40, groups=1)),
    "grouping_front-41": case("grouping_front", lambda: groupings(41)),
    "grouping_scores": case("grouping_scores", lambda: SCORED),
    "groups": case("groups", partition),
    "groups-bound": case("groups", lambda: partition(2.5, groups=2)),
    "key_risks": case("key_risks", profile),
    "key_risks-no_keys": case("key_risks", lambda: profile(keys=False)),
    "key_risks-nothing": case("key_risks", lambda: profile(keys=False, riskiest=0)),
    "marked_signals-2": case("marked_signals", lambda: marked(2)),
    "marked_signals-9": case("marked_signals", lambda: marked(9)),
    "marked_signals-crowded": case("marked_signals", crowded),
    "matrices-few": case("matrices", lambda: matrices(1, 3)),
    "matrices-8_9": case("matrices", lambda: matrices(8, 9)),
    "matrices-12_13": case("matrices", lambda: matrices(12, 13)),
    "matrices-30_31": case("matrices", lambda: matrices(30, 31)),
    "operator_analytics-1": case("operator_analytics", lambda: analytics(1)),
    "operator_analytics-8": case("operator_analytics", lambda: analytics(8)),
    "operator_comparison": case("operator_comparison", lambda: OperatorComparison(best=OPERATORS)),
    "operator_comparison-once": case(
        "operator_comparison", lambda: OperatorComparison(best={"combined": (4.0,), "crossover": (5.0,)})
    ),
    "operators": case("operators", lambda: operators(**TRIED)),
    "operators-none": case("operators", operators),
    "population-max": case("population", lambda: evolved(Fitness())),
    "population-mean": case("population", lambda: evolved(Fitness(how="mean"), END[:2])),
    "population-weighted": case("population", lambda: evolved(Fitness(how="weighted", weight=1.0))),
    "population-front": case("population", lambda: evolved(Objectives())),
    "population-three": case("population", lambda: evolved(THREE, (person(8.0, 30.0, "swaps(a)", 4.5),))),
    "population-synthetic": case("population", lambda: evolved(Nearness())),
    "risk_utility-chains": case("risk_utility", with_gate),
    "risk_utility-one": case("risk_utility", lambda: Choice(candidate(Mdav(k=4), 0.0, 0.0), score="verdict")),
    "risk_utility-whole": case("risk_utility", lambda: Choice(*chains(), whole=(80.0, 70.0))),
    "risk_utility-whole_inside": case("risk_utility", lambda: Choice(*chains(), whole=(30.0, 20.0))),
    "risk_utility-many": case("risk_utility", of_many_methods),
    "score_evolution-one": case("score_evolution", lambda: history(step(0))),
    "score_evolution-long": case("score_evolution", lambda: history(*map(step, range(1201)))),
    "score_evolution-front": case(
        "score_evolution", lambda: history(*(step(i, 30 + i / 2, best=5.0) for i in range(40)))
    ),
    "scores": case("scores", evaluation),
    "scores-nothing_lost": case(
        "scores", lambda: of(scores={"sse": score("sse", 0.0)}, senses={"sse": "loss"})
    ),
    "signals-quantity": case("signals", lambda: signal(VALUES)),
    "signals-concentration": case("signals", lambda: signal(np.divide(VALUES, 100), kind="concentration")),
    "submissions": case("submissions", submitted),
    "submissions-alone": case("submissions", lambda: submitted(published={}, formal={}, outside=None)),
    "submissions-few": case("submissions", lambda: submitted(ours={"swaps": (0.5, 970.0)}, formal={})),
    "submissions-libraries": case(
        "submissions", lambda: submitted(libraries=(*"abcdefg", "cost $", "others"))
    ),
    "verdict": case("verdict", verdict),
    "verdict-and_start": case(
        "verdict", verdict, start=judged(score("people_found", 8.0), score("membership", 30.0))
    ),
    "verdict-nothing": case("verdict", judged),
}


def pictures(folder: Path, beginning: str) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in CASES.items():
        if name.startswith(beginning):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Glyph .* missing")
                draw().savefig(folder / f"{name}.png", dpi=70)
            yield folder / f"{name}.png"


def _main() -> None:
    parser = argparse.ArgumentParser(description="What is drawn, example by example.")
    parser.add_argument("beginning", nargs="?", default="", help="of the names of examples; all without it")
    parser.add_argument("--write", action="store_true", help="write what is drawn anew")
    parser.add_argument("--pictures", type=Path, help="write pictures into this folder")
    given = parser.parse_args()
    if given.write:
        write(FOLDER, {name: _told(draw) for name, draw in CASES.items()}, given.beginning)
    for path in pictures(given.pictures, given.beginning) if given.pictures else ():
        print(path.name)


def _told(draw: Example) -> Callable[[], str]:
    return lambda: described(draw())


if __name__ == "__main__":
    _main()
