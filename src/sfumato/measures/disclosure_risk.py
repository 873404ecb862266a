"""Disclosure risk: one number for how much of the original a masked file gives away."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from sfumato.attacks._fellegi_sunter import MOST_ATTRIBUTES
from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._composition import Combined, ComposedBound
from sfumato.measures._contract import Bound, Measure
from sfumato.measures.distance_linkage import DistanceLinkage
from sfumato.measures.interval_disclosure import IntervalDisclosure
from sfumato.measures.probabilistic_linkage import ProbabilisticLinkage


class DisclosureRisk(Measure):
    """DR = 0.5 · interval disclosure + 0.5 · record linkage.

    The linkage is distance-based (the fast form), or probabilistic, or with `linkage="both"` the full form:
    their mean where all attributes are numeric, DR = 0.5 · ID + 0.25 · DLD + 0.25 · PLD, and the larger of
    them for tables with categories, mixed ones included, DR = (ID + max(DBRL, PRL)) / 2. From 0 to 100. It
    takes attributes of all scales (probabilistic linkage the first 20); missing values and weights count as
    the measures say. The parts are `interval` and `linkage`, and where there are two linkages, `distance`
    and `probabilistic`.

    Source: Balasch, *thesis*, §3.3; Marés, *thesis*, §2.4.2 and §4.1.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [5.0, 5.0, 7.0, 9.0]}))
    >>> DisclosureRisk().bind(original).score(original).parts
    {'interval': 100.0, 'linkage': 100.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    linkage: str = param(
        default="distance", choices=("distance", "probabilistic", "both"), help="how records are linked"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Bind the measures."""
        return _BoundRisk(self, original, names)


class _BoundRisk(ComposedBound):
    def __init__(self, measure: DisclosureRisk, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.all_numeric = all(original.schema[name].is_numeric for name in names)
        self.bounds = {part: one.bind(original) for part, one in risks(measure, names).items()}

    def combine(self, values: Mapping[str, float]) -> Combined:
        return combined_risk(values, all_numeric=self.all_numeric)


def risks(measure: DisclosureRisk, names: tuple[str, ...]) -> dict[str, Measure]:
    """The measures it is made of: the interval comes first, then one linkage or two."""
    used: dict[str, Measure] = {
        "interval": IntervalDisclosure(attributes=names, weighted=measure.weighted),
        "distance": DistanceLinkage(attributes=names, weighted=measure.weighted),
        "probabilistic": ProbabilisticLinkage(attributes=names[:MOST_ATTRIBUTES], weighted=measure.weighted),
    }
    wanted = ("distance", "probabilistic") if measure.linkage == "both" else (measure.linkage,)
    return {part: used[part] for part in ("interval", *wanted)}


def combined_risk(values: Mapping[str, float], *, all_numeric: bool) -> Combined:
    """The value and its parts, from those measures."""
    interval, *linkages = values.values()
    linkage = sum(linkages) / len(linkages) if all_numeric else max(linkages)
    parts = {"interval": interval, "linkage": linkage}
    if len(linkages) > 1:
        parts |= {part: values[part] for part in ("distance", "probabilistic")}
    return (interval + linkage) / 2, parts
