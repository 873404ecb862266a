"""Measures made of other measures, block by block."""

from collections.abc import Mapping
from dataclasses import replace

from sfumato.large.judging.streamed._contract import Found, Judgement, Statistic, Streamed, streamed
from sfumato.large.judging.totals import Totals
from sfumato.measures import Measure


class ComposedStreamed(Streamed):
    """A measure made of others. A subclass says which, and combines their values."""

    forms: Mapping[str, Streamed]

    def check(self) -> None:
        """Make the streamed forms of its measures, which refuse what they cannot do."""
        self.forms = {
            part: streamed(one, replace(self.subject, names=one.attributes))
            for part, one in self.measures().items()
        }

    def measures(self) -> Mapping[str, Measure]:
        """The measures it is made of, by part; each names its attributes."""
        raise NotImplementedError

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """All that they need."""
        return tuple(dict.fromkeys(need for form in self.forms.values() for need in form.needs))

    def judgements(self, found: Found, totals: Totals) -> dict[str, Judgement]:
        """What each of them finds."""
        return {part: form.finish(found, totals) for part, form in self.forms.items()}
