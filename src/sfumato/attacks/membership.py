"""Membership: the intruder tells who was in the file."""

import numpy as np

from sfumato.attacks._outside_attack import Comparison, OutsideAttack
from sfumato.attacks.insiders.membership_panel import MembershipPanel, worse
from sfumato.data import Table


class Membership(OutsideAttack):
    """The intruder is shown a person in the file and one outside it, and says by the release which is which.

    Two attackers try. One says that the person nearer to a released record was in the file. The other traces: how much
    more likely is the person, by the shares of single values and of pairs of them, in the release than among people
    outside? The success on a person is the share of people outside whom
    she would be preferred to, so that the rate is the area under the ROC curve; a guess has 50. The control is that
    of the same attacker with the original, the person asked about left out, in place of the release. What is told is
    the attacker who is farther above the control.

    All columns count but identifiers and numbers of households, unless others are named; see the measure
    `membership` for how they do. A missing value is like a missing one. Of a large file, a sample of
    people is asked about.

    Source: Homer et al. (2008), *Resolving individuals contributing trace amounts of DNA to highly complex
    mixtures*; Stadler, Oprisanu & Troncoso (2022), *Synthetic data: anonymisation groundhog day*.

    >>> from sfumato.data import Attribute, Schema
    >>> rng = np.random.default_rng(0)
    >>> schema = Schema([Attribute(name=name, scale="numeric", role="key") for name in "xy"])
    >>> known, outside = (Table(schema, {name: rng.normal(size=50) for name in "xy"}) for _ in range(2))
    >>> Membership().run(known, known, rng, outside=outside).attack.value
    100.0
    """

    def compared(self, released: Table, known: Table, outside: Table, names: tuple[str, ...]) -> Comparison:
        panel = MembershipPanel(known, outside, names)
        trial = worse(panel.trials(released))
        found = np.full(known.n, np.nan)
        found[panel.inside_rows] = trial.attack.inside
        return Comparison(found, trial.control.inside, 0.5)
