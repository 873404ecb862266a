"""Membership: how well an intruder can tell who was in the file."""

from collections.abc import Mapping

from scipy.special import ndtri

from sfumato.attacks.insiders.membership_panel import MembershipPanel, worse
from sfumato.data import Table
from sfumato.measures._outside_measure import Finding, OutsideBound, OutsideMeasure


class Membership(OutsideMeasure):
    """100 · (AUC − AUC of the control) of the attacker who tells people inside from people outside better.

    AUC is the chance that somebody in the file looks more like a member than somebody outside it: ½ where the
    intruder can only guess, 1 where she is always right. Two attackers score people by the release, each beside
    the same attacker with the original itself in place of the release, the person asked about left out: the people
    outside may be more usual or less than those inside, and that is no disclosure. So 0 is a release that tells
    nobody's membership, and some 50 one that tells everybody's, as the original does.

    `nearness`: the distance to the nearest released record, by Gower over all columns: numbers and ordinal categories
    by their ranks among all people, inside and outside, nominal ones 0 or 1; a missing value is at distance 1 from others.
    `tracing`: how much more likely the person is by the shares of the release than by those of the people outside,
    Σ_i l_i + Σ_i<j (l_ij − l_i − l_j) over columns and pairs of them, with l = log((c + ½) / (n + 1)) −
    log((r + ½) / (m + 1)) where c of n released records and r of m people outside, herself left out, share the cell
    the person falls into. Numbers are in quantile bins of all people, as many (2 to 20) as leave some 5 people
    outside to a cell of two; categories of fewer than 10 people count as one, and a missing value is a category. Its
    control takes the counts of the original less the person herself.

    All columns are judged but identifiers and numbers of households; with a scenario, what its intruder knows. A
    recoded category counts as a uniform draw from those it covers. The interval is that of DeLong, a little narrow where columns are few, for both
    attackers at once. 2,000 people are asked about on each side; all released records are searched (and 100,000
    originals for the control), and pairs drawn where columns are very many.

    It does not see triples of columns, nor attackers who know the method or train on many releases; and a person may
    be told from others where the average person is not.

    Source: Homer et al. (2008), *Resolving individuals contributing trace amounts of DNA to highly complex
    mixtures*; Stadler, Oprisanu & Troncoso (2022), *Synthetic data: anonymisation groundhog day*; DeLong, DeLong &
    Clarke-Pearson (1988).

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> rng = np.random.default_rng(0)
    >>> schema = Schema([Attribute(name=name, scale="numeric", role="key") for name in "wxyz"])
    >>> original, outside, fresh = (Table(schema, {n: rng.normal(size=300) for n in "wxyz"}) for _ in range(3))
    >>> bound = Membership().bind(original, outside)
    >>> bound.score(original).value > 40, bound.score(fresh).low
    (True, 0.0)
    """

    def beside(self, original: Table, outside: Table, names: tuple[str, ...]) -> OutsideBound:
        return _BoundMembership(self, original, outside, names)


class _BoundMembership(OutsideBound):
    def __init__(self, measure: Membership, original: Table, outside: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.panel = MembershipPanel(original, outside, names)

    def difference(self, parts: Mapping[str, float]) -> float | None:
        attackers = [name for name in parts if f"{name}_control" in parts]
        return max((parts[name] - parts[f"{name}_control"] for name in attackers), default=None)

    def finding(self, released: Table) -> Finding:
        trials = self.panel.trials(released)
        parts: dict[str, float] = {}
        for name, trial in trials.items():
            parts |= {name: 100 * trial.attack.area, f"{name}_control": 100 * trial.control.area}
        worst = worse(trials)
        margin = -float(ndtri(0.025 / len(trials))) * worst.error
        return Finding(100 * worst.above, parts, 100 * margin, self.panel.sample)
