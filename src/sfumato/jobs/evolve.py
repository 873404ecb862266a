"""Evolve versions of a file until they show what it shows and are nobody's, and write the best."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.core import DataError, ParameterError, param, parameters, progress, registry
from sfumato.data import Source, Table
from sfumato.data.routing import with_routing
from sfumato.jobs._evolution import Search, Start, evolved_from, synthesised_from
from sfumato.jobs._evolved import Evolved
from sfumato.jobs._judging import Judging
from sfumato.jobs._reading import KeyedReading, check_keys
from sfumato.jobs._releasing import Releasing
from sfumato.jobs._searching import Optimized
from sfumato.jobs._work import Work
from sfumato.masking import Masking
from sfumato.masking.calibrated_synthesis import CalibratedSynthesis
from sfumato.masking.synthesis.calibration import NEAR_PRODUCTS
from sfumato.measures import Measure
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs, Optimizer, Problem
from sfumato.search.file_evolution.presets import preset as preset_of
from sfumato.search.file_evolution.starts import masked_start, portfolio_start
from sfumato.search.fitness import Fitness, Nearness, Objectives
from sfumato.search.maskings.gates import Gate, check_gates, check_rehearsed
from sfumato.search.optimizers.evolution import SELECTIONS
from sfumato.search.optimizers.swap_calibration import SwapCalibration
from sfumato.search.problems.masked_files import MaskedFiles
from sfumato.search.problems.synthetic_files import SyntheticFiles
from sfumato.search.stop import Stop
from sfumato.search.trade_off import TradeOff

HONEST = "honest"

PUBLISHED = Fitness(
    losses=(InformationLoss(numeric="pil"),), risks=(DisclosureRisk(linkage="both"),), how="mean"
)
FITNESS = {"mares2013": PUBLISHED}  # of presets that have their own


class Evolve(KeyedReading, Releasing, Judging, Optimized):
    """Evolve versions of FILE, and write the best to OUT with a report beside it.

    By default (preset honest) these are files of records that are nobody's: every column that is released is drawn anew,
    by trees, and then values are swapped between records until tables and products of columns are as near to the
    original's as another sample would hardly be. It ends by itself. Presets fast and mares2013 evolve masked versions of the key
    attributes towards the best balance of information loss and disclosure risk, the literature's scores, which look at
    the keys only; they end after 60 s where nothing is said.

    The outcome is judged by attackers and analysts that the search did not see, and by people outside: the search is
    done once more on four fifths of the records, which takes its time again. Where it made a risk worse than at its
    start, the start is released.
    Ctrl-C stops the search and writes the best so far; a second one stops at once.

    As many generations with the same seed give the same file, however long they take.

    >>> import sfumato
    >>> people = sfumato.datasets.household_survey(60, seed=1).to_arrow(text=True).to_pandas()  # any frame
    >>> found = sfumato.evolve(people[["age", "sex"]], preset="fast", generations=2, with_verdict=False, seed=1)
    >>> found.frame.shape
    (60, 2)
    """

    problem: ClassVar[type[Problem[Any, Any]]] = SyntheticFiles
    usual: ClassVar[dict[str, Any]] = {}  # the end of the search itself
    of_masked: ClassVar[tuple[str, ...]] = (
        "methods",
        "score",
        "weight",
        "loss",
        "risk",
        "add",
        "front",
        "objectives",
        "drop_best",
        "selection",
    )

    methods: tuple[str, ...] = param(
        default=(), word="NAME", help="methods that make the start", usual="those of the preset"
    )
    preset: str = param(
        default=HONEST,
        choices=(HONEST, "fast", "mares2013"),
        help="bring synthetic files to what the original shows; or lower the literature's scores of masked ones, which look "
        "at keys only, in our own way or in that of the publication",
    )
    synthesis: Masking | None = param(
        default=None,
        word="MASKING",
        help="what preset honest makes records by, such as 'calibrated_synthesis(coincidences=false)' to show no unique "
        "person, which tells that she was there",
        usual="calibrated_synthesis",
    )
    score: str | None = param(
        default=None,
        choices=("max", "mean", "weighted"),
        help="lower the larger of loss and risk, their mean, or a weighted mean",
        usual="that of the preset",
    )
    weight: float = param(default=0.5, low=0, high=1, help="share of the loss in a weighted score")
    loss: tuple[Measure, ...] = param(
        default=(), help="measures of loss to lower, in place of the preset's, such as 'ctbil(dimension=3)'"
    )
    risk: tuple[Measure, ...] = param(default=(), help="measures of risk to lower, in place of the preset's")
    add: tuple[Measure, ...] = param(default=(), help="measures to lower as well, such as propensity")
    front: bool = param(default=False, help="search for all compromises at once; release the best balanced")
    objectives: tuple[Measure, ...] = param(
        default=(), option="objective", help="measures to search all compromises between"
    )
    drop_best: float | None = param(
        default=None,
        low=0,
        high=99,
        word="PERCENT",
        help="leave out so many percent of the best of the start",
    )
    selection: str | None = param(
        default=None,
        choices=SELECTIONS,
        help="draw individuals by how much they are better than the worst, by 1 / score, as eq. 3.3 is printed, or as the "
        "source's runs show: by 1 / score where there are categories",
        usual="that of the preset",
    )
    require: tuple[Gate, ...] = param(
        default=(),
        help="what a release must meet, such as 'k >= 5' or 'distance_linkage <= 2'; may be repeated",
    )

    def check(self) -> None:
        super().check()
        if self.synthesis is not None and not isinstance(self.synthesis, CalibratedSynthesis):
            raise ParameterError(
                f"{self.name}: synthesis must be calibrated_synthesis with its parameters. Got {self.synthesis.name!r}."
            )
        given = self.non_defaults()
        if self.is_honest:
            wrong = [name for name in self.of_masked if name in given]
            presets = "fast or mares2013, which lower the literature's scores of masked files"
        else:
            wrong, presets = [name for name in ("synthesis",) if name in given], HONEST
        if wrong:
            raise ParameterError(
                f"{self.name}: preset {self.preset} has no use for {', '.join(wrong)}: leave it out, or choose preset "
                f"{presets}."
            )

    @property
    def is_honest(self) -> bool:
        return self.preset == HONEST

    @property
    def sought(self) -> type[Problem[Any, Any]]:
        return SyntheticFiles if self.is_honest else MaskedFiles

    @property
    def stop_rule(self) -> Stop:
        return self.stop.stop({} if self.is_honest else {"seconds": 60.0})

    def run(self, source: Source, *, work: Work) -> Evolved:
        table = source.in_memory("an evolution")
        if table.n == 0:
            raise DataError("The table holds no record: there is nothing to evolve.")
        found = (
            self._synthesised(table, source, work) if self.is_honest else self._masked(table, source, work)
        )
        return dataclasses.replace(found, job=self)

    def _masked(self, table: Table, source: Source, work: Work) -> Evolved:
        check_keys(table.schema)
        treated = self.treated(table, table.schema.with_role("key"), source)
        search = dataclasses.replace(self.search(), treated=treated)
        for measure in search.fitness.measures:
            _check_fits(measure, table)
        check_gates(self.require, table)
        check_rehearsed(self.require, self.rehearsals)
        return evolved_from(table, self._start(table, work), search, work, folder=work.run_folder)

    def _synthesised(self, table: Table, source: Source, work: Work) -> Evolved:
        table, search = with_routing(table), self.search()
        check_gates(self.require, table)
        check_rehearsed(self.require, self.rehearsals)
        assert search.synthesis is not None, "something makes the records"
        treated = self.treatments(table, search.synthesis.targets(table), source)
        for sentence in treated.sentences():
            progress.note(sentence)
        return synthesised_from(
            table, dataclasses.replace(search, treated=treated), work, folder=work.run_folder
        )

    def search(self) -> Search:
        return self._search_of_synthetic() if self.is_honest else self._search_of_masked()

    def _search_of_synthetic(self) -> Search:
        synthesis = self.synthesis or CalibratedSynthesis()
        assert isinstance(synthesis, CalibratedSynthesis), "checked"
        return Search(
            fitness=Nearness(synthesis.near, NEAR_PRODUCTS),
            optimizer=self.optimizer or SwapCalibration(),
            synthesis=synthesis,
            **self._shared(),
        )

    def _search_of_masked(self) -> Search:
        asked = {"loss": self.loss, "risk": self.risk, "add": self.add}
        scalar = fitness_of(self.preset, score=self.score, weight=self.weight, **asked)
        all_at_once = self.front or bool(self.objectives)
        usual = registry.make("optimizers", "nsga2") if all_at_once else preset_of(self.preset).optimizer
        tuned = _tuned(self.optimizer or usual, drop_best=self.drop_best or None, selection=self.selection)
        return Search(
            fitness=front_of(scalar, self.objectives, score=self.score) if all_at_once else scalar,
            optimizer=tuned,
            **self._shared(),
        )

    def _shared(self) -> dict[str, Any]:
        return {
            "stop": self.stop_rule,
            "preset": self.preset,
            "seed": self.randomness,
            "require": self.require,
            "rehearsals": self.rehearsals,
            "with_verdict": self.with_verdict,
        }

    def _start(self, table: Table, work: Work) -> Start:
        keys = table.schema.with_role("key")
        given = portfolio_start(table, keys, methods=self.methods) if self.methods else None
        maskings = preset_of(self.preset).start(table, keys) if given is None else given
        return masked_start(table, maskings, seed=self.randomness, workers=work.processes)


def fitness_of(
    preset: str,
    *,
    score: str | None = None,
    weight: float = 0.5,
    loss: Sequence[Any] = (),
    risk: Sequence[Any] = (),
    add: Sequence[Any] = (),
) -> Fitness:
    """What a search is to lower: the preset's measures and score, with what was named in their place.

    `loss` and `risk` replace the measures of their sense and `add` adds to those of its own; each is a
    measure, its name or a spec.

    >>> fitness_of("fast", add=["propensity"], score="mean").spec()["losses"]
    [{'method': 'information_loss'}, {'method': 'propensity'}]
    """
    usual = FITNESS.get(preset, Fitness())
    losses = [Measure.convert(one) for one in loss] or list(usual.losses)
    risks = [Measure.convert(one) for one in risk] or list(usual.risks)
    for one in add:
        measure = Measure.convert(one)
        if measure.sense == "score":
            raise ParameterError(f"fitness: {measure.name} is no measure of loss or risk.")
        (losses if measure.sense == "loss" else risks).append(measure)
    return Fitness(tuple(losses), tuple(risks), score or usual.how, weight)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Front(Objectives):
    """Objectives whose best balanced compromise is released: by the largest of them, or by their mean."""

    how: str = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in ("max", "mean"):
            raise ParameterError(f"objectives: how must be one of max, mean. Got {self.how!r}.")

    def score(self, costs: Costs) -> float:
        return TradeOff(self.how).of(costs)


def front_of(fitness: Fitness, objectives: Sequence[Any], *, score: str | None = None) -> Front:
    """The objectives that were named, or else the measures of a fitness, each for itself.

    >>> front_of(Fitness(), []).objectives
    ('information_loss', 'disclosure_risk')
    """
    measures = tuple(Measure.convert(one) for one in objectives) or fitness.measures
    for measure in measures:
        if measure.sense == "score":
            raise ParameterError(f"objectives: {measure.name} is no measure of loss or risk.")
    return Front(measures, how=score or "max")


def _tuned(optimizer: Optimizer[Any, Any], **given: Any) -> Optimizer[Any, Any]:
    changed = {name: value for name, value in given.items() if value is not None}
    known = parameters(type(optimizer))
    for name in changed:
        if name not in known:
            raise ParameterError(f"{optimizer.name} has no parameter {name}: leave it out.")
    return dataclasses.replace(optimizer, **changed) if changed else optimizer


def _check_fits(measure: Measure, table: Table) -> None:
    """Refuse, before any search, a measure that can judge nothing of the table."""
    if not (measure.attributes or measure.fitting(table)):
        measure.bind(table)
