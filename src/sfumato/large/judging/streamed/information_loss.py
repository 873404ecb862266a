"""Information loss, block by block: made of its measures as in memory."""

from collections.abc import Mapping

from sfumato.large.judging.streamed._composed import ComposedStreamed
from sfumato.large.judging.streamed._contract import Found, Judgement
from sfumato.large.judging.totals import Totals
from sfumato.measures import Measure
from sfumato.measures.information_loss import combined_loss, losses


class InformationLoss(ComposedStreamed):
    """The mean of the numeric and the categorical loss."""

    def measures(self) -> Mapping[str, Measure]:
        """The losses it is made of."""
        return losses(self.measure, self.subject.original, self.names)

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Combine them."""
        values = {name: one.value for name, one in self.judgements(found, totals).items()}
        sizes = {name: len(form.names) for name, form in self.forms.items()}
        return Judgement(*combined_loss(values, sizes, self.measure.numeric))
