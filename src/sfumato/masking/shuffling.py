"""Shuffling: values are dealt out anew, by ranks drawn from a model given the other attributes."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from sfumato.core import Advice, DataError, param
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import correlation, present_rows, square_root, standardised

MOST_INDICATORS = 30  # of one nominal attribute


class Shuffling(Masking):
    """Each attribute keeps its values exactly, but a drawn number decides which record gets which.

    Ranks become normal scores, z = Φ⁻¹((rank − ½) / n), equal values having their mean rank. Given the scores
    w of the attributes that are not masked, those of the masked ones are drawn anew for each record from

        y ~ N(Bᵀw, R_zz − Bᵀ R_ww B),        B = (R_ww + λI)⁻¹ R_wz,

    where R holds the correlations of the scores: the draw knows the masked values only through R. Then the
    record whose y has rank i gets the i-th smallest value. So distributions are kept exactly, and
    rank correlations, with each other and with w, in expectation. λ = (number of w) / n is next to nothing,
    but for few records it moves the draw towards one that does not look at w, which could repeat the file.

    `given` names the attributes w; by default the key attributes that are not masked. A nominal one counts
    as indicators of its (at most 30) most frequent categories. Missing values stay missing; correlations
    are those of the records that have both values, and a missing w stands at its mean. With strata, values
    are dealt out inside the stratum; one in which an attribute has a single value is refused.

    Source: Muralidhar & Sarathy (2006), with normal scores in place of transformed rank correlations.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 9.0, 3.0, 5.0, 2.0], "sales": [7.0, 95.0, 31.0, 40.0, 8.0]})
    >>> firms = table_from_frame(firms)
    >>> masked = Shuffling(attributes=("sales",), given=("staff",)).apply(firms, np.random.default_rng(1))
    >>> masked["sales"].tolist()
    [7.0, 95.0, 40.0, 8.0, 31.0]
    """

    scales = ("numeric", "ordinal")
    for_users: ClassVar[Advice] = Advice(
        done="The values of each variable were dealt out anew among the records, guided by a "
        "statistical model.",
        effect="The distribution of each variable is exact, and rank correlations with the variables of "
        "the model are nearly kept; other relations, such as curves and interactions, are lost.",
        remedy="Use single variables and simple monotone relations, as far as the table below shows that "
        "they are kept; do not look for interactions, or for relations inside small groups.",
    )

    given: tuple[str, ...] = param(
        default=(), help="attributes to keep relations with (default: the key attributes not masked)"
    )

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        rows = {name: present_rows(table, name, self.name) for name in names}
        Z = np.column_stack([_scores(table[name], rows[name]) for name in names])
        W = self._known(table, names)
        y = _drawn(Z, W, rng.standard_normal(Z.shape))
        columns = {}
        for j, name in enumerate(names):
            at = rows[name]
            columns[name] = table[name].copy()
            columns[name][at[np.argsort(y[at, j], kind="stable")]] = np.sort(table[name][at])
        return table.replace(columns)

    def _known(self, table: Table, names: tuple[str, ...]) -> np.ndarray:
        others = self.given or tuple(key for key in table.schema.with_role("key") if key not in names)
        for name in others:
            if name in names:
                raise DataError(f"{self.name}: column {name} must not be both masked and given.")
        columns = [np.empty((table.n, 0))]
        for name in others:
            if table.schema[name].scale == "nominal":
                columns.append(_indicators(table[name]))
            else:
                columns.append(_scores(table[name], np.flatnonzero(~table.missing(name)))[:, None])
        return np.hstack(columns)


def _scores(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    scores = np.full(len(values), np.nan)
    scores[rows] = ndtri((rankdata(values[rows]) - 0.5) / max(len(rows), 1))
    return scores


def _indicators(codes: np.ndarray) -> np.ndarray:
    counts = np.bincount(codes[codes >= 0])
    frequent = np.argsort(-counts, kind="stable")[:MOST_INDICATORS]
    return np.where(codes[:, None] < 0, np.nan, codes[:, None] == frequent)


def _drawn(Z: np.ndarray, W: np.ndarray, draws: np.ndarray) -> np.ndarray:
    n, m = Z.shape
    scores = standardised(np.hstack([Z, W]))[0]
    R = correlation(scores)
    R_ww, R_wz = R[m:, m:], R[m:, :m]
    q = W.shape[1]
    B = np.linalg.solve(R_ww + q / n * np.eye(q), R_wz)
    left = R[:m, :m] - B.T @ R_ww @ B
    y: np.ndarray = np.nan_to_num(scores[:, m:], copy=False) @ B + draws @ square_root(left).T
    return y
