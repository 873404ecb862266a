"""A file before and after its group was hidden: what the attack sees in both, and what the change cost."""

from collections.abc import Collection, Iterable
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import Table
from sfumato.groups.fuzzy_model import FuzzyModel
from sfumato.groups.outliers import Outliers, outliers
from sfumato.groups.signals import Group, Signal, places_of
from sfumato.studies.group_attack import SIGNIFICANCE


class GroupComparison(Result):
    """The attacked signal of two versions of a file, its outliers, and the values in which the files differ.

    `named` are the places that were to be hidden.
    """

    drawn_by: ClassVar[str] = "group_comparison"

    named: tuple[str, ...]
    before: Signal
    after: Signal
    found_before: Outliers
    found_after: Outliers
    records: int
    altered: dict[str, int]
    sizes_kept: bool
    attacked_by: str

    @property
    def still_found(self) -> tuple[str, ...]:
        """The named places that the attack still sees."""
        return tuple(name for name in self.found_after.names if name in self.named)

    @property
    def new(self) -> tuple[str, ...]:
        """Outliers that were none before."""
        return tuple(name for name in self.found_after.names if name not in self.found_before.names)

    @property
    def is_hidden(self) -> bool:
        """Whether the attack sees none of the named places any more."""
        return not self.still_found

    @property
    def altered_values(self) -> int:
        """In how many values the two files differ."""
        return sum(self.altered.values())

    @property
    def altered_percent(self) -> float:
        """The share of all values in which the two files differ."""
        return 100 * self.altered_values / max(self.records * len(self.altered), 1)

    @property
    def verdict(self) -> str:
        """What came out, in a sentence."""
        if self.is_hidden:
            what = f"any of the {len(self.named)} named places" if len(self.named) > 1 else "the named place"
            return f"Hidden: {self.attacked_by} no longer shows {what}."
        seen = f"{len(self.still_found)} of {len(self.named)} ({', '.join(self.still_found)})"
        return f"Not hidden: {self.attacked_by} still shows {seen}."

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records."""
        return {
            "verdict": self.verdict,
            "named": list(self.named),
            "still_found": list(self.still_found),
            "new_outliers": list(self.new),
            "outliers_before": self.found_before.to_dict(),
            "outliers_after": self.found_after.to_dict(),
            "attacked_by": self.attacked_by,
            "signal": self.before.kind,
            "records": self.records,
            "records_of_every_place_kept": self.sizes_kept,
            "altered_values": self.altered,
            "altered_percent": self.altered_percent,
            "signals": self._rows(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        seen = set(self.found_before.indices), set(self.found_after.indices)
        return [
            {
                "place": place,
                "named": place in self.named,
                "records": int(self.before.records[index]),
                "before": float(self.before.values[index]),
                "outlier_before": index in seen[0],
                "after": float(self.after.values[index]),
                "outlier_after": index in seen[1],
            }
            for index, place in enumerate(self.before.places)
        ]


def compare_groups(
    original: Table,
    protected: Table,
    group: Group,
    *,
    model: FuzzyModel | None = None,
    named: Collection[str] = (),
    signal: str = "quantity",
    significance: float = SIGNIFICANCE,
    strike: Iterable[int | str] = (),
) -> GroupComparison:
    """Attack both files, by a model or by counting the group itself, and count what differs.

    Without names, the places to hide are the outliers of the original that have too many of the group. The
    protected file may lack columns, such as the vital ones; its records are those of the original in the
    same order.
    """
    if protected.n != original.n:
        raise DataError(
            f"The protected file has {protected.n} records where the original has {original.n}; "
            "they must be the same ones in the same order."
        )
    struck = tuple(strike)
    amounts = group_amounts(original, group, model)
    before = signal_of(original, group, amounts, kind=signal, label="before")
    after = signal_of(protected, group, amounts, kind=signal, label="after")
    if after.places != before.places:
        raise DataError(f"Column {group.parameter}: the protected file does not have the same places.")
    found = outliers(before, alpha=significance, strike=struck)
    return GroupComparison(
        named=tuple(named) or conspicuous(before, found),
        before=before,
        after=after,
        found_before=found,
        found_after=outliers(after, alpha=significance, strike=struck),
        records=original.n,
        altered={name: _differing(original, protected, name) for name in protected.names},
        sizes_kept=bool((before.records == after.records).all()),
        attacked_by="the fuzzy model" if model is not None else "counting the group",
    )


def group_amounts(table: Table, group: Group, model: FuzzyModel | None) -> np.ndarray:
    """What each record adds to the signal: its grade, or 1 if it belongs to the group."""
    if group.weight:
        raise DataError("Protecting a group counts records: leave the weight out.")
    return group.members(table).astype(np.float64) if model is None else model.grades(table)


def signal_of(table: Table, group: Group, amounts: np.ndarray, *, kind: str, label: str) -> Signal:
    """The signal of amounts in the places of a table. Grades do not depend on the place, so they stay."""
    return places_of(table, group.parameter).signal(amounts, kind=kind, label=label)


def conspicuous(signal: Signal, found: Outliers) -> tuple[str, ...]:
    """The outliers that have too many of the group."""
    middle = float(np.median(signal.values))
    return tuple(signal.places[index] for index in found.indices if signal.values[index] > middle)


def _differing(original: Table, protected: Table, name: str) -> int:
    one, other = original[name], protected[name]
    alike = (one == other) | (original.missing(name) & protected.missing(name))
    return int(len(one) - alike.sum())
