"""t-closeness of a file that does not fit into memory: distances from the whole file, class by class."""

from sfumato.large.judging.closeness import ClassDistances, Closeness
from sfumato.large.judging.streamed._contract import Found, Judgement, Statistic
from sfumato.large.judging.streamed._sensitive import SensitiveStreamed
from sfumato.large.judging.totals import Totals


class TCloseness(SensitiveStreamed):
    """Percent of records in a class whose sensitive values are distributed unlike those of all."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The distances of all classes."""
        return (ClassDistances(self.names, self.sensitive, self.measure.t, self.weighted),)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Turn weights into percents."""
        classes: Closeness = found[self.needs[0]]
        percent = 100 / classes.total
        parts = {name: percent * float(far) for name, far in zip(self.sensitive, classes.far, strict=True)}
        parts |= {"largest": 100 * classes.largest, "mean": percent * classes.distance}
        return Judgement(percent * classes.far_in_any, parts)
