"""How well scores tell people inside a file from people outside it: the area under the ROC curve."""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

DIGITS = 9  # sums that are equal may differ beyond them


class Separation(NamedTuple):
    """The area (0 to 1) as the mean over people inside of the share of people outside whom each of them outdoes.

    `inside` holds that share for each person inside, `outside` for each person outside the share of those inside
    who outdo her; ties are shared.
    """

    inside: np.ndarray
    outside: np.ndarray

    @property
    def area(self) -> float:
        return float(self.inside.mean()) if len(self.inside) and len(self.outside) else 0.5


class Trial(NamedTuple):
    """How well an attacker tells insiders by a release, and how well by the same where nobody was disclosed."""

    attack: Separation
    control: Separation

    @property
    def above(self) -> float:
        """The area above that of the control."""
        return self.attack.area - self.control.area

    @property
    def error(self) -> float:
        """The standard error of that difference, both areas being found on the same people.

        Source: DeLong, DeLong & Clarke-Pearson (1988), *Comparing the areas under two or more correlated
        receiver operating characteristic curves*.
        """
        pairs = zip(self.attack, self.control, strict=True)
        differences = [one - other for one, other in pairs if len(one) > 1]
        return float(np.sqrt(sum(d.var(ddof=1) / len(d) for d in differences)))


def separation(inside: np.ndarray, outside: np.ndarray) -> Separation:
    """Compare scores, higher for those who seem to be inside.

    >>> separation(np.array([2.0, 3.0]), np.array([1.0, 2.0])).area
    0.875
    """
    n, m = len(inside), len(outside)
    inside, outside = np.round(inside, DIGITS), np.round(outside, DIGITS)
    ranks = rankdata(np.concatenate([inside, outside]))
    outdone = (ranks[:n] - rankdata(inside)) / max(m, 1)
    outdoing = 1 - (ranks[n:] - rankdata(outside)) / max(n, 1)
    return Separation(outdone, outdoing)
