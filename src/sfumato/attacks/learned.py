"""Learned: what is not known of a person is inferred from the release."""

import numpy as np

from sfumato.attacks._outside_attack import Comparison, OutsideAttack
from sfumato.attacks.insiders.learned_panel import LearnedPanel, better_attacker
from sfumato.attacks.insiders.targets import Target
from sfumato.core import param
from sfumato.data import Schema, Table
from sfumato.data.declarations import known_columns


class Learned(OutsideAttack):
    """The intruder infers values of a person from the release by what she knows of her.

    She infers each of the `sought` columns (the confidential ones, or all she knows, each from the others) from
    the nearest released record, or by boosted trees learned from the release, whichever disclosed more of other
    people; see the measure `learned`. The success on a person is the share of columns inferred rightly: the very category, or a number
    within 5 % of the ranks. A missing value is not tried, and a missing guess is wrong. The control is the same
    for people outside: what is learned about anybody was not disclosed by the file. The guess without the release is
    the category, or the number, that is right for most people. Of a large file, a sample of people is asked about.

    Source: after Giomi, Boenisch, Wehmeyer & Tasnádi (2023), *A unified framework for quantifying privacy risk in
    synthetic data*.

    >>> from sfumato.data import Attribute, Schema
    >>> roles = {"x": "key", "y": "key", "pay": "confidential"}
    >>> schema = Schema([Attribute(name=name, scale="numeric", role=role) for name, role in roles.items()])
    >>> rng = np.random.default_rng(0)
    >>> known, outside = (Table(schema, {name: rng.normal(size=300) for name in roles}) for _ in range(2))
    >>> result = Learned().run(known, known, rng, outside=outside)
    >>> result.attack.value, result.control.value < 20
    (100.0, True)
    """

    sought: tuple[str, ...] = param(
        default=(), help="columns to infer (default: the confidential ones; if none, those she knows)"
    )

    def usual_columns(self, schema: Schema) -> tuple[str, ...]:
        return known_columns(schema, self.scenario)

    def needed(self, known: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*names, *self._sought(known, names))))

    def compared(self, released: Table, known: Table, outside: Table, names: tuple[str, ...]) -> Comparison:
        sought = self._sought(known.schema, names)
        panel = LearnedPanel(known, outside, names, sought)
        learned = [better_attacker(found) for found in panel.learned(released).values()]
        found = np.full(known.n, np.nan)
        found[panel.inside_rows] = _shares([one.release.inside for one in learned])
        others = _shares([one.release.outside for one in learned])
        guesses = [_best_guess(target) for target in panel.targets]
        return Comparison(found, others, float(np.mean(guesses)))

    def _sought(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return self.sought or schema.with_role("confidential") or names


def _shares(right: list[np.ndarray]) -> np.ndarray:
    """The share of columns that are right for each person, of those tried; NaN where none was."""
    cells = np.column_stack(right)
    tried = np.count_nonzero(~np.isnan(cells), axis=1)
    return np.where(tried > 0, np.nansum(cells, axis=1) / np.maximum(tried, 1), np.nan)


def _best_guess(target: Target) -> float:
    """The share of people for whom the value that fits most of them is right."""
    standings = target.standings(target.people)
    present = np.unique(standings[~np.isnan(standings)])
    return float(target.chances(present).max()) if len(present) else 0.0
