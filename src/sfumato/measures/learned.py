"""Learned: how much better values are inferred for people in the file than for people outside it."""

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtri

from sfumato.attacks.insiders.learned_panel import Learned as LearnedOf
from sfumato.attacks.insiders.learned_panel import LearnedPanel, Sides, better_attacker
from sfumato.core import DataError, param
from sfumato.data import Schema, Table
from sfumato.data.declarations import known_columns
from sfumato.measures._outside_measure import Finding, OutsideBound, OutsideMeasure


class Learned(OutsideMeasure):
    """100 · [(Q inside − Q outside) by the release − (Q inside − Q outside) by originals without themselves].

    An intruder who knows some columns of a person (the keys, those of the `scenario`, or what she `knows`; never the
    one she asks for) infers another column from the release, in two ways: from the nearest record (the most frequent
    category, or the median, of up to five equally near ones) and by boosted trees learned from the release.
    Q is the share she gets right: the very category, or a number within 5 % of the ranks. A person
    counts by 1 / √p, where p is the share of people whose value would be right for her: between each person
    and each category counting alike, so that a rare illness counts and chance does not decide.

    What is inferred about people outside is what the file teaches about anybody, and no disclosure. The people
    outside may be easier to guess, or harder: so the same difference is subtracted where there is no leak, people
    inside being inferred from that half of the original that does not hold them, and people outside from both. A file
    that does not know its people scores 0 up to chance, the original 100 · (1 − Q outside).

    The value is that of the worst confidential column, by the attacker who does better with other people; where no confidential column is
    declared, the mean of all columns: the worst of many would be that of chance. Columns may be named (`attributes`).
    The parts are the columns, below 0 where chance made them so, and their `mean`. A person whose value is missing
    does not count, and a missing guess is wrong; recoded categories are draws from those they cover.
    The interval is normal, by people, and holds for all columns the worst was picked from. 2,000 people are asked
    about on each side, fewer (down to 200) where columns and records are many; all released records are searched, and
    100,000 originals for the control; models learn from 10,000 and tell the 10 most frequent categories apart.

    It does not see what an intruder learns who knows more, or people whom the average hides; nor what is learned about
    everybody, inside and outside.

    Source: after Giomi, Boenisch, Wehmeyer & Tasnádi (2023), *A unified framework for quantifying privacy risk in
    synthetic data* (inference beside a control of people outside), with the floor and the weights of this package.

    >>> from sfumato.data import Attribute, Schema
    >>> roles = {"x": "key", "y": "key", "pay": "confidential"}
    >>> schema = Schema([Attribute(name=name, scale="numeric", role=role) for name, role in roles.items()])
    >>> rng = np.random.default_rng(0)
    >>> original, outside, fresh = (Table(schema, {n: rng.normal(size=300) for n in roles}) for _ in range(3))
    >>> bound = Learned().bind(original, outside)
    >>> bound.score(original).value > 80, bound.score(fresh).value < 10
    (True, True)
    """

    knows: tuple[str, ...] = param(
        default=(), help="columns the intruder knows (default: the key attributes, or those of the scenario)"
    )

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The confidential columns, or all that say something about people."""
        return original.schema.with_role("confidential") or super().fitting(original)

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*names, *self.known(schema))))

    def known(self, schema: Schema) -> tuple[str, ...]:
        found = self.knows or known_columns(schema, self.scenario)
        if not found:
            raise DataError(f"{self.name}: no attribute is a key; say which columns the intruder knows.")
        return found

    def beside(self, original: Table, outside: Table, names: tuple[str, ...]) -> OutsideBound:
        return _BoundLearned(self, original, outside, names)


class _BoundLearned(OutsideBound):
    def __init__(self, measure: Learned, original: Table, outside: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        confidential = original.schema.with_role("confidential")
        self.deciding = [name for name in names if name in confidential]
        self.panel = LearnedPanel(original, outside, measure.known(original.schema), names)

    def difference(self, parts: Mapping[str, float]) -> float | None:
        return max((parts[name] for name in self.deciding if name in parts), default=parts.get("mean"))

    def finding(self, released: Table) -> Finding:
        learned = {name: better_attacker(found) for name, found in self.panel.learned(released).items()}
        values = {name: 100 * found.above for name, found in learned.items()}
        mean = float(np.mean(list(values.values())))
        value, error, picked = mean, _mean_error(list(learned.values())), 1
        if self.deciding:
            worst = max(self.deciding, key=lambda name: values[name])
            value, error, picked = values[worst], _mean_error([learned[worst]]), len(self.deciding)
        margin = -float(ndtri(0.025 / picked)) * error
        return Finding(value, values | {"mean": mean}, 100 * margin, self.panel.people.n)


def _mean_error(learned: list[LearnedOf]) -> float:
    """The standard error of the mean over targets; those of one person hang together."""
    by_side = Sides(*(np.column_stack(gains) for gains in zip(*(one.gains for one in learned), strict=True)))
    return float(np.sqrt(sum(_squared_error(gains) for gains in by_side)))


def _squared_error(gains: np.ndarray) -> float:
    counted = ~np.isnan(gains)
    number = np.maximum(counted.sum(axis=0), 1)
    off = np.where(counted, gains - np.where(counted, gains, 0.0).sum(axis=0) / number, 0.0)
    return float(np.square((off / number).mean(axis=1)).sum())
