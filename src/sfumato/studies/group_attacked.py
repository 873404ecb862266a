"""What an attack on the anonymity of a group found."""

from dataclasses import field
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.groups.adequacy import Adequacy
from sfumato.groups.fuzzy_model import FuzzyModel, Rule
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.outliers import Outliers
from sfumato.groups.rule_quality import Quality
from sfumato.groups.signals import Group, Signal


class GroupAttack(Result):
    """What somebody with an auxiliary file finds out about where a group is.

    `signal` is the auxiliary signal of the attacked file and `found` its outliers. The attack itself never
    looks at the vital attributes of that file; where it has them, `true_signal` and `true` are the truth and
    `adequacy` compares. `rehearsal` is the same comparison on the auxiliary file, which anybody who has it
    can make.
    """

    drawn_by: ClassVar[str] = "group_attack"

    group: Group
    model: FuzzyModel
    qualities: dict[Rule, Quality] = field(repr=False)
    signal: Signal
    found: Outliers
    true_signal: Signal | None
    true: Outliers | None
    adequacy: Adequacy | None
    rehearsal: Adequacy

    @property
    def has_model(self) -> bool:
        """Whether the rules tell more about the outliers than chance: ln B of at least 1, in the right sense."""
        return bool(self.model.rules) and (self.adequacy or self.rehearsal).is_adequate

    @property
    def verdict(self) -> str:
        """What came out, in a sentence."""
        judged = self.adequacy or self.rehearsal
        where = "" if self.adequacy else " on the auxiliary file"
        if not self.model.rules:
            return "No model: no rule tells the group from others."
        strength = f"ln B = {judged.ln_b:.2f}, {judged.reading}"
        if not self.has_model:
            return f"No model: its outliers have nothing to do with the true ones{where} ({strength})."
        return (
            f"The group is exposed: {len(judged.disclosed)} of {len(judged.true)} outliers "
            f"disclosed{where}, {len(judged.false)} false ({strength})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records."""
        shown = {
            "verdict": self.verdict,
            "has_model": self.has_model,
            "rules": self._rows(),
            "outliers": list(self.found.names),
            "adequacy": self.adequacy and self.adequacy.to_dict(),
            "rehearsal": self.rehearsal.to_dict(),
            "signals": self.signals(),
        }
        return {**shown, "vocabulary": self.model.vocabulary.to_dict(), "alpha": self.model.alpha}

    def signals(self) -> list[dict[str, Any]]:
        """One row per place: what the attack sees there, and what is true where that is known."""
        seen, truth = set(self.found.indices), set(self.true.indices if self.true else ())
        rows = []
        for index, place in enumerate(self.signal.places):
            row = {"place": place, "auxiliary": float(self.signal.values[index]), "outlier": index in seen}
            if self.true_signal is not None:
                row |= {"true": float(self.true_signal.values[index]), "true_outlier": index in truth}
            rows.append(row)
        return rows

    def _rows(self) -> list[dict[str, Any]]:
        """One row per rule."""
        return [
            _described(self.model.vocabulary, rule, self.qualities.get(rule)) for rule in self.model.rules
        ]


def _described(vocabulary: Vocabulary, rule: Rule, quality: Quality | None) -> dict[str, Any]:
    row: dict[str, Any] = {"sentence": vocabulary.sentence(rule), "rule": list(rule)}
    if quality is not None:
        row |= {
            "support": quality.support,
            "discriminative_factor": quality.discriminative_factor,
            "relative_confidence": quality.relative_confidence,
        }
    return row
