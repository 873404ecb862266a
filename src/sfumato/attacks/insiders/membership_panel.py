"""Who was in the file? The attackers of membership, beside the same where nobody was disclosed."""

import numpy as np

from sfumato.attacks.insiders.nearness import NearnessSpace, RecordsNear
from sfumato.attacks.insiders.pair_tracing import PairCells, Tracer
from sfumato.attacks.insiders.people import asked_about, in_order, some_rows, sorting, together
from sfumato.attacks.insiders.separation import Trial, separation
from sfumato.core import stream
from sfumato.data import Table
from sfumato.data.shared_terms import in_terms_of

MOST_CONTROLS = 100_000  # originals that people are compared with


class MembershipPanel:
    """Knows the original and people outside; tries each attacker on releases.

    `inside_rows` are the records of the original that are asked about.
    """

    def __init__(self, original: Table, outside: Table, names: tuple[str, ...]) -> None:
        rng = stream(0, "membership")
        self.schema, self.names = original.schema, names
        order = sorting(original, names)
        original, outside = original.select(names).take(order), in_order(outside, names)
        asked = asked_about(original, outside, rng)
        self.inside_rows = order[asked.inside]
        self.sample = len(asked.inside) + len(asked.outside)
        everybody = together(original, outside)
        cells = PairCells(everybody, names, outside.n)
        self.tracer = Tracer(cells, original, outside, asked, rng)
        self.space = NearnessSpace(everybody, names)
        self.inside = self.space.points(original.take(asked.inside))
        self.outside = self.space.points(outside.take(asked.outside))
        rows = some_rows(original.n, MOST_CONTROLS, rng)
        controls = RecordsNear(self.space, original.take(rows))
        own = np.isin(asked.inside, rows)
        self.control = separation(-controls.to_nearest(self.inside, own), -controls.to_nearest(self.outside))

    def trials(self, released: Table) -> dict[str, Trial]:
        """How well each attacker tells people inside from people outside, by its name."""
        rng = stream(0, "membership", "terms")
        released = in_terms_of(self.schema, in_order(released, self.names), self.names, rng)
        records = RecordsNear(self.space, released)
        near = separation(-records.to_nearest(self.inside), -records.to_nearest(self.outside))
        traced, untold = separation(*self.tracer.traces(released)), separation(*self.tracer.control)
        return {"nearness": Trial(near, self.control), "tracing": Trial(traced, untold)}


def worse(trials: dict[str, Trial]) -> Trial:
    """The attacker who tells most above the control."""
    return max(trials.values(), key=lambda trial: trial.above)
