"""One trial of the study of microaggregation: a file, a method, and what is measured of the outcome."""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sfumato import datasets
from sfumato.data import Table
from sfumato.datasets.dependent_numbers import tree_of
from sfumato.kernels.mdav import mdav_groups
from sfumato.masking import Microaggregation, group_means, make_masking
from sfumato.masking.emad import Emad
from sfumato.masking.omma import Omma
from sfumato.measures.interval_disclosure import IntervalDisclosure
from sfumato.measures.moments import Moments
from sfumato.measures.sse import Sse


class Trial(NamedTuple):
    """Columns count from 1 and are those that groups are made from: none means all."""

    file: str
    masking: str
    columns: tuple[int, ...] = ()
    alone: bool = False  # whether the loss is that of these columns only
    kind: str = "loss"
    seed: int = 0


Found = dict[str, float]


def tried(shared: None, trial: Trial) -> Found:
    """What a trial measures, by name."""
    kinds = {"loss": _loss, "scores": _scores, "exhaustive": _exhaustive, "choices": _choices}
    kinds |= {"tree": _tree, "released": _released}
    return kinds[trial.kind](trial)


@lru_cache(maxsize=4)
def file_of(name: str, seed: int) -> Table:
    """A classic file in its keys, or so many simulated records and columns: "uniform 3000 16"."""
    kind, *sizes = name.split()
    if not sizes:
        table = datasets.load(name)
        return table.select(table.schema.with_role("key"))
    n, d = map(int, sizes)
    if kind == "tree":
        return datasets.dependent_numbers(n, seed=seed, attributes=d)
    centre, spread = (500.0, 500.0) if kind == "uniform" else (0.0, 0.05)
    return datasets.random_numbers(n, seed=seed, attributes=d, law=kind, centre=centre, spread=spread)


def _loss(trial: Trial) -> Found:
    table = file_of(trial.file, trial.seed)
    masking, rng = _method(trial), np.random.default_rng(trial.seed)
    names = tuple(table.names[j - 1] for j in trial.columns) or table.names
    if isinstance(masking, Omma):
        learnt = masking.learning(table.select(names), rng)
        return {"loss": learnt.il, "cycles": learnt.cycles}
    if not trial.columns or trial.alone:
        found = masking.partition(table.select(names), rng)
        recursion = getattr(masking, "recursion", None)
        worked = {} if recursion is None else {"distances": float(recursion(table.select(names)).distances)}
        return {"loss": found.il, **worked}
    labels = masking.partition(table.select(names), rng).labels
    return {"loss": _share_lost(_standard(table), labels)}


def _scores(trial: Trial) -> Found:
    """G_IL and ID of the released file, before any rounding to whole numbers."""
    table = file_of(trial.file, trial.seed)
    labels = _method(trial).partition(table, np.random.default_rng(trial.seed)).labels
    values = table.numbers(table.names)
    masked = group_means(values, labels)[labels]
    released = table.replace({name: masked[:, j] for j, name in enumerate(table.names)})
    loss = Moments().bind(table).score(released).value
    disclosed = IntervalDisclosure(ranks="masked", per_record=True).bind(table).score(released).value
    return {"G_IL": loss, "ID": disclosed}


def _exhaustive(trial: Trial) -> Found:
    """MDAV on every choice of as many columns as the trial names: the least, largest and mean loss of all columns."""
    X = _standard(file_of(trial.file, trial.seed))
    losses = [
        _share_lost(X, mdav_groups(np.ascontiguousarray(X[:, choice]), 3))
        for choice in combinations(range(X.shape[1]), len(trial.columns))
    ]
    return {"least": min(losses), "largest": max(losses), "mean": float(np.mean(losses))}


def _choices(trial: Trial) -> Found:
    """How many choices of EMAD there are, and a one for each of them."""
    table, emad = file_of(trial.file, trial.seed), _method(trial)
    assert isinstance(emad, Emad)
    listed = [tuple(table.names.index(name) + 1 for name in choice) for choice in emad.tree(table).choices]
    return {"choices": float(len(listed)), **{str(choice): 1.0 for choice in listed}}


def _tree(trial: Trial) -> Found:
    """How many edges of the true tree are not in the one that EMAD infers."""
    table, emad = file_of(trial.file, trial.seed), _method(trial)
    assert isinstance(emad, Emad)
    found = {frozenset(edge[:2]) for edge in emad.tree(table).edges}
    true = {frozenset(edge) for edge in tree_of(len(table.names), trial.seed)}
    return {"missed": float(len(true - found))}


def _released(trial: Trial) -> Found:
    """What a released file lost, of a masking that need not make groups."""
    table = file_of(trial.file, trial.seed)
    released = make_masking(trial.masking).apply(table, np.random.default_rng(trial.seed))
    losses = [measure.bind(table).score(released).value for measure in (Sse(), Moments())]
    return dict(zip(("loss", "G_IL"), losses, strict=True))


def _method(trial: Trial) -> Microaggregation:
    made = make_masking(trial.masking)
    assert isinstance(made, Microaggregation)
    return made


def _standard(table: Table) -> np.ndarray:
    X = table.numbers(table.names)
    standard: np.ndarray = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return standard


def _share_lost(X: np.ndarray, labels: np.ndarray) -> float:
    return float(100 * ((X - group_means(X, labels)[labels]) ** 2).sum() / (X**2).sum())
