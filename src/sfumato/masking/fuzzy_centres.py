"""Fuzzy centres: each record takes the centre of a fuzzy cluster that is drawn for it."""

from typing import ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, param
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import check_not_alone, standardised
from sfumato.masking._fuzzy_clusters import HELP, MEMBERSHIPS, clusters_of, shares


class FuzzyCentres(Masking):
    """Records belong to several clusters; which centre they release is drawn by how much they do.

    Fuzzy c-means (or its form with an entropy) finds centres and memberships, see `fuzzy`. Then a cluster is drawn:
    by membership (`draw="membership"`), or any of those where the record's membership is at least `least`, all with
    the same chance (`"uniform"`). It is drawn once for the whole record, or for each attribute by itself
    (`each="attribute"`), which breaks relations between attributes. These are the four ways of the source.

    Nobody can tell from the file which records belong together. But **the released file is not k-anonymous**: a centre
    may be drawn for one record only. It loses more than `fuzzy`, and most where attributes draw by themselves.
    Missing values stand at the mean while clusters are found, and stay missing. With strata, each has clusters of its own.

    Source: Torra & Domingo-Ferrer (2002, 2003), Torra & Miyamoto (2004), as told in Fayyoumi, *thesis*, §2.6.3.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [1.0, 2.0, 90.0, 91.0], "sales": [5.0, 7.0, 85.0, 95.0]}))
    >>> FuzzyCentres(clusters=2).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 90.0, 90.0]
    """

    aliases: ClassVar[Aliases] = {"entropy fuzzy c-means": {"memberships": "entropy"}}

    scales = ("numeric",)
    for_users: ClassVar[Advice] = Advice(
        done="Records were put into overlapping clusters, and each took the average of one of its clusters, drawn at random.",
        effect="Means are nearly those collected; variances are smaller, each variable has few different values, and "
        "relations between variables may be weaker.",
        remedy="Rely on means of many records; take standard errors as too small, and read nothing from extremes or the "
        "exact value of a record.",
    )

    clusters: int = param(default=30, low=2, help="clusters to make")
    fuzziness: float = param(
        default=1.2, low=1.05, high=5, help="m: near 1 crisp clusters, above 2 vague ones"
    )
    memberships: str = param(default="distances", choices=MEMBERSHIPS, help=HELP)
    draw: str = param(
        default="membership",
        choices=("membership", "uniform"),
        help="chances of clusters: their memberships, or equal where there is one",
    )
    each: str = param(
        default="record",
        choices=("record", "attribute"),
        help="whether a cluster is drawn once for a record, or for each of its attributes",
    )
    least: float = param(default=0.01, low=0, high=1, help="smaller memberships count as none, if uniform")
    iterations: int = param(default=20, low=1, help="rounds of memberships and centres")

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        values = table.numbers(names)
        for name in names:
            check_not_alone(int(np.count_nonzero(~table.missing(name))), name, self.name)
        Z, means, deviations = standardised(values)
        count = min(self.clusters, table.n)
        scores, centres = clusters_of(
            np.nan_to_num(Z), count, self.fuzziness, self.iterations, self.memberships
        )
        drawn = self._drawn(shares(scores), len(names), rng)
        released = means + deviations * centres[drawn, np.arange(len(names))]
        kept = np.where(np.isnan(values), np.nan, released)
        return table.replace({name: table.schema[name].conform(kept[:, j]) for j, name in enumerate(names)})

    def _drawn(self, chances: np.ndarray, attributes: int, rng: np.random.Generator) -> np.ndarray:
        """The cluster of each record and attribute."""
        if self.draw == "uniform":
            chances = chances >= np.minimum(self.least, chances.max(axis=1, keepdims=True))
        edges = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        places = rng.random((len(chances), attributes if self.each == "attribute" else 1))
        drawn: np.ndarray = (places[:, :, None] >= edges[:, None, :]).sum(axis=2)
        return np.broadcast_to(drawn, (len(chances), attributes))
