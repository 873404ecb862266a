"""Hiding a group: the places that an attack sees become ordinary, by as few and as small swaps as it takes."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError, GateError, progress
from sfumato.data import Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.influential_metric import InfluentialMetric, distances
from sfumato.groups.outliers import outliers
from sfumato.groups.signals import Group
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList
from sfumato.groups.wanted_signal import Trapezoid, target
from sfumato.search.contracts import Individual
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.memetic import Memetic
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop
from sfumato.studies.group_attack import SIGNIFICANCE
from sfumato.studies.group_comparison import compare_groups, conspicuous, group_amounts, signal_of
from sfumato.studies.group_protected import GroupProtection
from sfumato.studies.released import released_names

GENERATIONS = 1000
SWAPS = "swaps"  # the folder of the search in that of the run
NOT_BASIC = ("identifier", "weight", "household")


def group_protect(
    microfile: Table,
    group: Group,
    *,
    model: FuzzyModel | None = None,
    named: Collection[str] = (),
    strike: Iterable[int | str] = (),
    signal: str = "quantity",
    significance: float = SIGNIFICANCE,
    limit: float | None = None,
    wanted: Mapping[str, Trapezoid] | None = None,
    metric: InfluentialMetric | None = None,
    along: Sequence[str] = (),
    keep: Sequence[str] = (),
    without_vital: bool = False,
    optimizer: Memetic | None = None,
    generations: int = GENERATIONS,
    seconds: float | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
) -> GroupProtection:
    """Swap records of the group with similar others elsewhere, until the attack sees the named places no more.

    The attack is a fuzzy `model` (of `group_attack`), whose grades say who belongs, or, without one, counting
    the vital records themselves. The places to hide are `named`, or all that have too many by the attack,
    without those an expert strikes. `limit` and `wanted` say what is to be reached (see
    `groups.wanted_signal`), `metric` what makes records similar: by default the number of attributes in which
    they differ. Columns that tell the place as well, such as the state, go `along`.

    Every place keeps its number of records; nothing but the place of swapped records changes. With a model,
    or `without_vital`, the vital attributes are not released. If no list of the last population hides all
    named places, nothing is released. With a `folder`, which may be that of the attack, the search is kept
    there, and goes on if it is already there.

    >>> from sfumato.datasets.census_pair import census_pair
    >>> pair = census_pair(4000, areas=20, planted=1, seed=1)
    >>> soldiers = Group(vital=pair.vital, parameter=pair.parameter)
    >>> found = group_protect(pair.survey, soldiers, generations=60)
    >>> set(pair.planted) <= set(found.comparison.named), found.comparison.is_hidden, found.comparison.sizes_kept
    (True, True, True)
    """
    began = time.perf_counter()
    struck = tuple(strike)
    for name in (group.parameter, *along):
        microfile.schema[name]
    amounts = group_amounts(microfile, group, model)
    named = tuple(named) or _seen(microfile, group, amounts, signal, significance, struck)
    files = Submicrofiles(group.places(microfile), amounts > (0.0 if model is None else model.alpha))
    aim = target(files, named, limit=limit, kind=signal, alpha=significance, wanted=wanted)
    metric = metric or InfluentialMetric(attributes=basic_attributes(microfile, group, along))
    points = metric.points(microfile)
    problem = GroupSwaps(files, points, metric, aim, amounts=amounts, kind=signal, alpha=significance)
    stop = Stop(generations=generations, seconds=seconds)
    effort = Effort(stop=stop, seed=seed, folder=None if folder is None else Path(folder) / SWAPS)
    found = run(problem, optimizer or Memetic(), effort, label="Swapping")
    chosen, valid = _chosen(problem, found)
    chosen.genome.check(files)
    columns = (group.parameter, *along)
    protected = chosen.genome.applied(microfile, columns)
    left_out = () if model is None and not without_vital else tuple(group.vital)
    release = protected.select(name for name in released_names(protected, keep) if name not in left_out)
    seen: dict[str, Any] = {"named": named, "signal": signal, "significance": significance, "strike": struck}
    told = model is not None and group.is_told_by(microfile)
    return GroupProtection(
        original=microfile,
        release=release,
        group=group,
        model=model,
        comparison=compare_groups(microfile, release, group, model=model, **seen),
        truth=compare_groups(microfile, release, group, **seen) if told else None,
        swaps=chosen.genome,
        columns=columns,
        metric=metric,
        distortions=tuple(distances(chosen.genome.rows, points, metric).tolist()),
        target=aim,
        run=found,
        valid=valid,
        seed=seed,
        seconds=time.perf_counter() - began,
    )


def _seen(
    table: Table,
    group: Group,
    amounts: np.ndarray,
    kind: str,
    significance: float,
    strike: tuple[int | str, ...],
) -> tuple[str, ...]:
    """The places that the attack sees."""
    signal = signal_of(table, group, amounts, kind=kind, label="before")
    named = conspicuous(signal, outliers(signal, alpha=significance, strike=strike))
    if not named:
        raise DataError("The attack sees no place with too many of the group: there is nothing to protect.")
    progress.note(f"hiding what the attack sees: {', '.join(named)}.")
    return named


def basic_attributes(table: Table, group: Group, along: Sequence[str]) -> tuple[str, ...]:
    """All attributes but those of the group, the place, and what only identifies."""
    left_out = {*group.vital, group.parameter, *along}
    return tuple(a.name for a in table.schema if a.name not in left_out and a.role not in NOT_BASIC)


def _chosen(problem: GroupSwaps, found: Run) -> tuple[Individual[SwapList], float]:
    """The best list that hides all named places, and the percentage of lists that do."""
    flags = [problem.is_valid(one.genome) for one in found.population]
    valid = [one for one, flag in zip(found.population, flags, strict=True) if flag]
    if problem.is_valid(found.best.genome):
        valid.append(found.best)
    if not valid:
        raise GateError(
            f"None of {len(found.population)} lists of swaps hides all named places after "
            f"{found.history[-1].generation} generations: allow more of them, or a higher limit; "
            "nothing was written."
        )
    best = min(valid, key=lambda one: problem.score(one.costs))
    return best, 100 * sum(flags) / len(flags)
