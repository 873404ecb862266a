"""Disclosure risk: one number for how much of the original a masked file gives away."""

from collections.abc import Mapping

from sfumato.attacks.linkage.fellegi_sunter import MOST_ATTRIBUTES
from sfumato.core import param
from sfumato.measures._composition import Composed
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.distance_linkage import DistanceLinkage
from sfumato.measures.interval_disclosure import IntervalDisclosure
from sfumato.measures.probabilistic_linkage import ProbabilisticLinkage


class DisclosureRisk(Composed):
    """DR = 0.5 · interval disclosure + 0.5 · record linkage.

    The linkage is distance-based (the fast form), or probabilistic, or with `linkage="both"` the full form:
    their mean where all attributes are numeric, DR = 0.5 · ID + 0.25 · DLD + 0.25 · PLD, and the larger of
    them for tables with categories, mixed ones included, DR = (ID + max(DBRL, PRL)) / 2. From 0 to 100. It
    takes attributes of all scales (probabilistic linkage the first 20); missing values and weights count as
    the measures say. The parts are `interval` and `linkage`, and where there are two linkages, `distance`
    and `probabilistic`.

    It does not see what can be inferred from columns that are no keys, attackers stronger than its
    linkage, or who was in the survey; a file that was tuned to it may be easier to attack than it says.

    Source: Balasch, *thesis*, §3.3; Marés, *thesis*, §2.4.2 and §4.1.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [5.0, 5.0, 7.0, 9.0]}))
    >>> DisclosureRisk().bind(original).score(original).parts
    {'interval': 100.0, 'linkage': 100.0}
    """

    sense = "risk"

    linkage: str = param(
        default="distance", choices=("distance", "probabilistic", "both"), help="how records are linked"
    )

    def only_in_memory(self, files: Files) -> str:
        return f"linkage={self.linkage}" if self.linkage != "distance" else super().only_in_memory(files)

    def members(self, files: Files) -> dict[str, Measure]:
        names, weighted = files.names, self.weighted
        used: dict[str, Measure] = {"interval": IntervalDisclosure(attributes=names, weighted=weighted)}
        if self.linkage != "probabilistic":
            used["distance"] = DistanceLinkage(attributes=names, weighted=weighted)
        if self.linkage != "distance":
            first = names[:MOST_ATTRIBUTES]
            used["probabilistic"] = ProbabilisticLinkage(attributes=first, weighted=weighted)
        return used

    def combined(self, files: Files, values: Mapping[str, float]) -> Judged:
        interval, *linkages = values.values()
        linkage = max(linkages) if files.categorical else sum(linkages) / len(linkages)
        parts = {"interval": interval, "linkage": linkage}
        if len(linkages) > 1:
            parts |= {part: values[part] for part in ("distance", "probabilistic")}
        return (interval + linkage) / 2, parts
