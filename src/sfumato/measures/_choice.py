"""Which measures can judge a table."""

from sfumato.core import registry
from sfumato.data import Table
from sfumato.measures._contract import Measure

SUMMARIES = ("information_loss", "disclosure_risk")


def fitting_measures(table: Table) -> list[Measure]:
    """Every registered measure of loss or risk that can judge at least one key attribute, losses first."""
    measures: list[Measure] = [registry.make("measures", name) for name in registry.names("measures")]
    fitting = [measure for measure in measures if measure.sense != "score" and measure.fitting(table)]
    return sorted(fitting, key=lambda measure: (measure.sense, measure.name not in SUMMARIES, measure.name))
