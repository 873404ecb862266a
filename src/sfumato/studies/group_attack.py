"""Attacking the anonymity of a group: a fuzzy model from third-party data, and the places it gives away."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from sfumato.core import DataError, ParameterError
from sfumato.data import Table
from sfumato.groups.adequacy import Adequacy, adequacy
from sfumato.groups.fuzzy_model import ALPHA, FuzzyModel, Rule
from sfumato.groups.linguistic import Vocabulary
from sfumato.groups.outliers import outliers
from sfumato.groups.rule_quality import Quality
from sfumato.groups.signals import KINDS, Group, Signal, concentration, quantity
from sfumato.groups.word_proposals import propose_vocabulary
from sfumato.search.effort import Effort
from sfumato.search.optimizers.michigan import Michigan
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.rule_evolution import Threshold, evolve_rules
from sfumato.search.stop import Stop
from sfumato.studies.group_attacked import GroupAttack

__all__ = ["GroupAttack", "attack_with", "group_attack"]

SIGNIFICANCE = 0.001  # of outliers: of a hundred ordinary places hardly one shall be called one

UNSPOKEN = ("identifier", "weight", "household")  # roles of attributes that no word is made of


def group_attack(
    microfile: Table,
    auxiliary: Table,
    group: Group,
    vocabulary: Vocabulary | None = None,
    *,
    signal: str = "quantity",
    significance: float = SIGNIFICANCE,
    strike: Iterable[int | str] = (),
    fitness: str = "df_rcf",
    alpha: float = ALPHA,
    threshold: Threshold | None = None,
    optimizer: Michigan | None = None,
    runs: int = 10,
    generations: int = 200,
    seed: int = 0,
    workers: int = 1,
    folder: str | Path | None = None,
    whole: bool = False,
) -> GroupAttack:
    """Evolve a fuzzy model of the group on the auxiliary file, and look for its outliers in the microfile.

    Both files have the same attributes (see `groups.harmonising`); only the auxiliary one needs the vital
    ones. Without a vocabulary, words are made from the quantiles of all attributes that both files have.
    With a `folder` the evolution is kept there, and goes on if it is already there. An interrupt keeps the
    rules found so far, or is passed on where only the `whole` is of use.

    >>> from sfumato.datasets.census_pair import WORDS, census_pair
    >>> pair = census_pair(40_000, areas=40, planted=4, seed=1)
    >>> soldiers = Group(vital=pair.vital, parameter=pair.parameter)
    >>> words = Vocabulary.from_toml(WORDS)
    >>> attack = group_attack(pair.released, pair.auxiliary, soldiers, words, runs=1, generations=20)
    >>> attack.has_model, set(pair.planted) <= set(attack.found.names)
    (True, True)
    """
    _check(signal, microfile, auxiliary, group)
    words = vocabulary or propose_vocabulary(auxiliary, _common(microfile, auxiliary, group))
    words.check_fits(microfile, "microfile")
    problem = FuzzyRules(auxiliary, group, words, fitness=fitness, alpha=alpha)
    rules = evolve_rules(
        problem,
        optimizer,
        Effort(
            stop=Stop(generations=generations),
            seed=seed,
            workers=workers,
            folder=None if folder is None else Path(folder),
        ),
        threshold=threshold,
        runs=runs,
        whole=whole,
    )
    model = FuzzyModel(vocabulary=words, rules=tuple(rules), alpha=alpha)
    return attack_with(
        model,
        microfile,
        auxiliary,
        group,
        signal=signal,
        significance=significance,
        strike=strike,
        qualities=rules,
    )


def attack_with(
    model: FuzzyModel,
    microfile: Table,
    auxiliary: Table,
    group: Group,
    *,
    signal: str = "quantity",
    significance: float = SIGNIFICANCE,
    strike: Iterable[int | str] = (),
    qualities: Mapping[Rule, Quality] | None = None,
) -> GroupAttack:
    """What a model that is there already finds in a microfile, such as a protected one."""
    _check(signal, microfile, auxiliary, group)
    struck = tuple(strike)
    seen = model.signal(microfile, group, kind=signal)
    found = outliers(seen, alpha=significance, strike=struck)
    truth = _true_signal(microfile, group, signal) if group.is_told_by(microfile) else None
    true = outliers(truth, alpha=significance, strike=struck) if truth is not None else None
    return GroupAttack(
        group=group,
        model=model,
        qualities=dict(qualities or {}),
        signal=seen,
        found=found,
        true_signal=truth,
        true=true,
        adequacy=adequacy(true, found) if true is not None else None,
        rehearsal=_rehearsal(model, auxiliary, group, signal, significance),
    )


def _rehearsal(
    model: FuzzyModel, auxiliary: Table, group: Group, signal: str, significance: float
) -> Adequacy:
    """The attack on the auxiliary file, whose truth is known to whoever has it."""
    true = outliers(_true_signal(auxiliary, group, signal), alpha=significance)
    return adequacy(true, outliers(model.signal(auxiliary, group, kind=signal), alpha=significance))


def _true_signal(table: Table, group: Group, kind: str) -> Signal:
    return quantity(table, group) if kind == "quantity" else concentration(table, group)


def _common(microfile: Table, auxiliary: Table, group: Group) -> list[str]:
    left_out = {*group.vital, group.parameter, group.weight}
    both = [a for a in auxiliary.schema if a.name in microfile and a.name not in left_out]
    return [attribute.name for attribute in both if attribute.role not in UNSPOKEN]


def _check(signal: str, microfile: Table, auxiliary: Table, group: Group) -> None:
    if signal not in KINDS:
        raise ParameterError(f"group attack: signal must be one of {', '.join(KINDS)}. Got {signal!r}.")
    if not microfile.n:
        raise DataError("group attack: the microfile holds no record; check the ranges of the harmonisation.")
    for name in group.vital:
        if name not in auxiliary:
            raise DataError(
                f"group attack: the auxiliary file has no column {name}, which tells who belongs."
            )
