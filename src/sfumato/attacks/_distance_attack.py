"""What attacks that go by the distance of records have in common."""

from sfumato.attacks._contract import Attack
from sfumato.attacks.linkage.record_space import DISTANCES, numeric_only
from sfumato.core import param
from sfumato.data import Table


class ByDistance(Attack):
    """An attack whose intruder compares records by a distance."""

    distance: str = param(default="auto", choices=DISTANCES, help="how far apart records are")

    def targets(self, released: Table, known: Table) -> tuple[str, ...]:
        """The attributes used; only numbers, where the distance takes nothing else."""
        names = super().targets(released, known)
        if self.attributes or not numeric_only(self.distance):
            return names
        return tuple(name for name in names if known.schema[name].is_numeric) or names
