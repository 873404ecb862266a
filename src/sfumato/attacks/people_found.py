"""People found: the best of a panel of attackers looks for known people among the released records."""

import numpy as np

from sfumato.attacks._contract import Attack, AttackResult, rate_of, wilson
from sfumato.attacks.panel.trial import Trial, trial, tried_panel
from sfumato.data import Table


class PeopleFound(Attack):
    """For each known person, attackers rank the released records; the person is found if the own one is first.

    The panel: the nearest record by standardised differences and by ranks, in both directions (the released record
    nearest to the person; the person nearest to the released record); the record that contradicts least of what is
    known and has the fewest blanks and merged categories; agreement weighed as in `probabilistic_linkage`; and, by one
    who knows the records of half of the people and how the file was masked, the distance by the covariance of the
    masking errors, windows as wide as the farthest swap of ranks, and a logistic and a boosted model of how the records
    of true and of wrong pairs differ, the latter also one to one. Models are tried on people they did not learn from.
    Files of up to 5000 records are also linked as in `assignment_linkage`, and by masking errors from the release. Equally good records share the success.

    The rate is that of the attacker who finds most *other* people: people are halved again and again, and whoever is
    best on one half is tried on the other, so that the best of many is not better by luck. Of more than 5000 records a
    sample of 500 to 2000 people is looked for in all of them; the outcome of the others is NaN. The control is the
    rate of the attackers who were picked, on up to 500 people, where each column of the release was shuffled.

    A missing value in the release matches anything for those who look for compatible records, and counts as a usual
    difference for the others. Models learn from at least 50 people: fewer than 100 records are attacked without them.
    Models look only at the records that are cheap by one of three plain distances, some 120 by each: rather
    an underestimate in files of very many records that were changed a lot.

    Source: the panel is own work; its parts are those of Domingo-Ferrer & Torra (2001) for distances, Nin, Herranz &
    Torra (2008) for rank windows, Fellegi & Sunter (1969), Abril, Navarro-Arribas & Torra (2012) for learned weights,
    Sinkhorn & Knopp (1967) for what is one to one.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import RankSwapping
    >>> firms = business_survey(200, seed=1)
    >>> released = RankSwapping(p=20).apply(firms, np.random.default_rng(1))
    >>> result = PeopleFound().run(released, firms, np.random.default_rng(1))
    >>> result.attack.low > result.control.high
    True
    """

    def outcomes(
        self, released: Table, known: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> np.ndarray:
        return _on_all(known.n, trial(released, known, names, rng)) if known.n else np.empty(0)

    def run(
        self, released: Table, known: Table, rng: np.random.Generator, *, outside: Table | None = None
    ) -> AttackResult:
        """Attack the release; only those who were picked are tried again where it says nothing."""
        names = self.targets(released, known)
        if not known.n:
            return super().run(released, known, rng, outside=outside)
        found = tried_panel(released, known, names, rng)
        tried = len(found.trial.people)
        outcomes = _on_all(known.n, found.trial)
        return AttackResult(
            name=self.name,
            attack=rate_of(outcomes),
            baseline=wilson(self.guess(known, names) * tried, tried),
            control=rate_of(found.guess.best()),
            outcomes=outcomes,
        )


def _on_all(n: int, tried: Trial) -> np.ndarray:
    found = np.full(n, np.nan)
    found[tried.people] = tried.best()
    return found
