"""Clustered protection: records are clustered first, and a k-anonymous masking protects each cluster."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, DataError, param
from sfumato.data import Attribute, Scale, Schema, Table
from sfumato.masking._clusters import median_clusters, merge_small
from sfumato.masking._contract import Masking, Parts, naming
from sfumato.masking._inner_masking import k_anonymous_masking
from sfumato.masking._parts import InParts
from sfumato.masking._whole_file import Whole


class Clustered(InParts):
    """Records that are alike are brought together before they are made k-anonymous.

    1. The records are divided into c = `clusters` clusters by c-medians: every record goes to the nearest
       centroid, the centroid becomes the median record (numbers and ordinal categories) with the commonest
       nominal categories, and so on until nothing changes.
    2. Where it ends depends on where it begins. So there are several `runs`, and the one with the least sum
       of distances to the centroids is kept. The first centroid is the outermost record in the first run and
       a record drawn at random in the others; the next is always the record that is most unlike those chosen
       (Kennard & Stone, 1969). Where more than 2,000 records differ, a run settles on a draw of so many of
       them; all records then judge it, and follow the best run for ten more rounds.
    3. While a cluster holds fewer than k records, the two smallest are joined.
    4. The masking `within` protects each cluster by itself: any k-anonymous one, such as `mdav_generic`,
       `global_median`, `mondrian` or, for numbers, `mdav`. It gives the scales that are taken, and decides
       what is released. Its further parameters are given as `options`: `options=["missing=impute"]`.

    The distance of two records is the sum over the attributes of |difference| / standard deviation of numbers,
    |difference of ranks| / number of categories of ordinal ones, and 0 or 1 for nominal ones. Missing values
    are at distance 1 from any value and 0 from each other; what becomes of them is up to `within`, and so is
    how the file is k-anonymous: if a missing value matches any, or also if it is a value like others.

    Every cluster is k-anonymous, and so is the file. Recoded attributes have one domain in all clusters. With
    strata, clusters are made inside each; a file larger than memory is clustered part by part, each of which has so
    many clusters. Weights play no part. 100,000 records of eight attributes are
    clustered in a few seconds.

    Source: Marés, *thesis*, ch. 5, Algorithms 9–11.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"town": ["a", "b", "a", "b", "a"], "age": [20.0, 60.0, 22.0, 64.0, 27.0]})
    >>> masked = Clustered(clusters=2, k=2).apply(table_from_frame(people), np.random.default_rng(1))
    >>> masked["age"].tolist()
    [23.0, 62.0, 23.0, 62.0, 23.0]
    """

    aliases: ClassVar[Aliases] = {"clustered microaggregation": {"within": "mdav_generic"}}

    k_anonymous: ClassVar[bool] = True
    parted_by: ClassVar[Parts] = "neighbours"
    stratified: ClassVar[bool] = False  # clusters are strata of the masking within, beside those of the table

    clusters: int = param(default=5, low=1, help="number of clusters, before small ones are joined")
    within: str = param(default="mdav_generic", help="the k-anonymous masking that protects each cluster")
    k: int = param(default=5, low=1, help="smallest number of records that are alike")
    runs: int = param(default=20, low=1, help="how often to cluster; the best run is kept")
    options: tuple[str, ...] = param(
        default=(), help="further parameters of the masking within, each as name=value"
    )

    def check(self) -> None:
        """Refuse a masking that is not k-anonymous, or parameters it does not have."""
        self.inner()

    @property
    def taken(self) -> tuple[Scale, ...]:
        return self.inner().taken

    def inner(self, names: tuple[str, ...] = ()) -> Masking:
        return k_anonymous_masking(self.name, self.within, self.k, self.options, names)

    @property
    def parted(self) -> Parts:
        return self.inner().parted

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        clustering, protecting = rng.spawn(2)
        divided = _with_stratum(part, self.clustered(part, names, clustering))
        inner = self.inner(names)
        if isinstance(inner, InParts) and not inner.stratified:  # it wants to know the whole file
            masked = inner.mask_part(divided, names, protecting, whole)
        else:
            masked = inner.apply(divided, protecting)
        return part.replace({name: masked[name] for name in names}, [masked.schema[name] for name in names])

    def clustered(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> np.ndarray:
        """The cluster of each record, counted from 0 in each stratum; all hold at least k."""
        labels = np.empty(table.n, np.int64)
        for stratum, rows in table.strata():
            with naming(stratum):
                if len(rows) < self.k:
                    raise DataError(
                        f"{self.name}: k = {self.k} needs at least {self.k} records. Got {len(rows)}."
                    )
            found = median_clusters(table.take(rows), names, self.clusters, self.runs, rng)
            labels[rows] = merge_small(found, self.k)
        return labels


def _with_stratum(table: Table, labels: np.ndarray) -> Table:
    """The table with one more stratum, so that a masking looks at each cluster but knows the whole file."""
    name = "cluster"
    while name in table:
        name += "_"
    numbers = tuple(map(str, range(1, int(labels.max()) + 2)))
    cluster = Attribute(name=name, scale="nominal", role="stratum", categories=numbers)
    columns = {one: table[one] for one in table.names}
    return Table(Schema([*table.schema, cluster]), {**columns, name: labels})
