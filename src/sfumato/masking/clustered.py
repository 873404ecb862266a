"""Clustered protection: records are clustered first, and a k-anonymous masking protects each cluster."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, ParameterError, UnknownNameError, param, parameters, registry
from sfumato.core.parameters import Parameter, check_names
from sfumato.data import Attribute, Scale, Table
from sfumato.kernels.c_median import c_medians, farthest_first, outermost
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.spread import centre_and_spread
from sfumato.masking._contract import Masking, Parts, check_enough, naming
from sfumato.masking._households import with_stratum
from sfumato.masking._parts import InParts, Whole

GIVEN_OUTSIDE = ("k", "attributes")

Value = bool | int | float | str
SAMPLE = 2_000  # different records that a run settles on, before all of them judge it
LAST_ROUNDS = 10  # in which all records follow the best run


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
    are at distance 1 from any value and 0 from each other; what becomes of them is up to `within`, which by
    default takes missing for a value like others, and so is the sense in which the file is k-anonymous.

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

    k_anonymous = True
    parted_by = "neighbours"
    stratified = False  # clusters are strata of the masking within, beside those of the table

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

    @property
    def advice(self) -> Advice:
        """It is the masking within that says what is released."""
        return self.inner().advice

    def inner(self, names: tuple[str, ...] = ()) -> Masking:
        return k_anonymous_masking(self.name, self.within, self.k, self.options, names)

    @property
    def parted(self) -> Parts:
        return self.inner().parted

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        clustering, protecting = rng.spawn(2)
        labels = self.clustered(part, names, clustering)
        inner = self.inner(names)
        if isinstance(inner, InParts) and not inner.stratified:  # it wants to know the whole file
            masked = inner.mask_part(with_stratum(part, labels, "cluster"), names, protecting, whole)
        else:
            masked = inner.masked(part, names, protecting, labels)
        return part.replace(
            {name: masked[name] for name in names},
            [masked.schema[name] for name in names],
            reasons={name: masked.reasons(name) for name in names},
        )

    def clustered(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> np.ndarray:
        """The cluster of each record, counted from 0 in each stratum; all hold at least k."""
        labels = np.empty(table.n, np.int64)
        for stratum, rows in table.strata():
            with naming(stratum):
                check_enough(self.name, self.k, len(rows))
            found = median_clusters(table.take(rows), names, self.clusters, self.runs, rng)
            labels[rows] = merge_small(found, self.k)
        return labels


def k_anonymous_masking(
    owner: str, name: str, k: int, options: Sequence[str], attributes: tuple[str, ...] = ()
) -> Masking:
    """The k-anonymous masking called `name`, for the parameter `within` of its owner.

    >>> k_anonymous_masking("clustered", "mondrian", 3, ["relaxed=true"])
    Mondrian(k=3, relaxed=True)
    """
    try:
        method: type[Masking] = registry.load("masking", name)
    except UnknownNameError as error:
        raise ParameterError(f"{owner}: within must be a k-anonymous masking. {error}") from None
    if not method.k_anonymous or name == owner:
        reason = "is this method itself" if name == owner else "does not make a file k-anonymous"
        raise ParameterError(f"{owner}: within must be another k-anonymous masking; {name} {reason}.")
    return method.from_parameters({**_values(owner, method, options), "k": k, "attributes": attributes})


def _values(owner: str, method: type[Masking], options: Sequence[str]) -> dict[str, Value | list[Value]]:
    """The parameters that options give; a list is given item by item, each with the name before it."""
    values: dict[str, Value | list[Value]] = {}
    for option in options:
        key, sign, text = (part.strip() for part in option.partition("="))
        if not sign:
            raise ParameterError(f"{owner}: options must be a list, each item name=value. Got {option!r}.")
        if key in GIVEN_OUTSIDE:
            raise ParameterError(
                f"{owner}: options must not hold {key}: it is a parameter of {owner} itself."
            )
        check_names(method.name, [key], method)
        parameter = parameters(method)[key]
        value = _value(parameter, text)
        before = values.get(key)
        if isinstance(before, list):
            before.append(value)
        elif before is not None:
            raise ParameterError(f"{owner}: options must give {key} once.")
        else:
            values[key] = [value] if parameter.repeated else value
    return values


def _value(parameter: Parameter, text: str) -> Value:
    """What the text stands for; where it is nothing of the kind, the method refuses it in its own words."""
    if parameter.type is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        value: Value = parameter.type(text)
    except ValueError:
        return text
    return value


def median_clusters(
    table: Table, names: tuple[str, ...], c: int, runs: int, rng: np.random.Generator
) -> np.ndarray:
    """The cluster of each record, of at most c: those of the run whose records are nearest to their centroids.

    The first run begins at the record farthest from the median of all, the others at records drawn at random.
    """
    attributes = [table.schema[name] for name in names]
    columns = [_places(table, name) for name in names]
    found = distinct(columns)
    X = np.column_stack(columns)[found.first]
    counts = found.counts.astype(np.float64)
    nominal = np.array([a.scale == "nominal" for a in attributes])
    scales = np.array([_scale(a, column) for a, column in zip(attributes, columns, strict=True)])
    drawn = found.labels[rng.integers(table.n, size=runs - 1)].tolist()
    some = rng.permutation(len(X))[:SAMPLE]
    best, least = np.empty(0), np.inf
    for first in dict.fromkeys([outermost(X, nominal, scales, counts), *drawn]):
        start = X[farthest_first(X, c, first, nominal, scales)]
        settled = c_medians(X[some], start, nominal, scales, counts[some])[1]
        total = c_medians(X, settled, nominal, scales, counts, rounds=0)[2]
        if total < least:
            best, least = settled, total
    labels: np.ndarray = c_medians(X, best, nominal, scales, counts, rounds=LAST_ROUNDS)[0][found.labels]
    return labels


def merge_small(labels: np.ndarray, k: int) -> np.ndarray:
    """Join the two smallest clusters, again and again, until none holds fewer than k records.

    Of clusters of one size the first goes first. They are numbered anew, without gaps.

    >>> merge_small(np.array([0, 1, 1, 2, 2, 2, 3]), 2).tolist()
    [0, 1, 1, 2, 2, 2, 0]
    """
    sizes = np.bincount(labels)
    waiting = [(int(size), cluster) for cluster, size in enumerate(sizes) if size]
    heapify(waiting)
    into = np.arange(len(sizes))
    while len(waiting) > 1 and waiting[0][0] < k:
        (one, a), (other, b) = heappop(waiting), heappop(waiting)
        into[into == max(a, b)] = min(a, b)
        heappush(waiting, (one + other, min(a, b)))
    return np.unique(into[labels], return_inverse=True)[1].reshape(-1)


def _places(table: Table, name: str) -> np.ndarray:
    values = table[name]
    return values if table.schema[name].is_numeric else np.where(values < 0, np.nan, values)


def _scale(attribute: Attribute, values: np.ndarray) -> float:
    """What a difference of 1 counts."""
    if attribute.is_numeric:
        return 1 / (centre_and_spread(values)[1] or 1.0)
    return 1 / max(attribute.domain_size, 1)
