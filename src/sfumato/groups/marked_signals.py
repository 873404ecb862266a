"""Several signals over the same places, each with the places to mark on it."""

from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.groups.signals import Signal


class MarkedSignals(Result):
    """What is to be seen side by side: true and auxiliary signal, or one before and after.

    >>> import numpy as np
    >>> signal = Signal(kind="quantity", label="true", places=("a", "b"), values=np.array([1.0, 9]), records=np.ones(2))
    >>> MarkedSignals(title="two areas", signals=(signal,), marked=((1,),))._rows()
    [{'place': 'a', 'true': 1.0}, {'place': 'b', 'true': 9.0}]
    """

    drawn_by: ClassVar[str] = "marked_signals"

    title: str
    signals: tuple[Signal, ...]
    marked: tuple[tuple[int, ...], ...]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"place": place, **{one.label: float(one.values[index]) for one in self.signals}}
            for index, place in enumerate(self.signals[0].places)
        ]
