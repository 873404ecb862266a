"""EMAD: microaggregation on the few attributes that most others depend on."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.core import ParameterError, Result, UnknownNameError, param, progress, registry
from sfumato.data import Table
from sfumato.masking._aggregates import Measured, column_scales
from sfumato.masking._dependence import (
    best_connected,
    dependence_tree,
    intervals_of,
    normal_information,
    pair_weights,
)
from sfumato.masking._microaggregation import Microaggregation, squares


class DependenceTree(Result):
    """The best tree of dependence: its edges with their weights, and every choice of its best-connected attributes.

    `taken` is the choice that groups are made from, where groups were made.

    >>> tree = DependenceTree(
    ...     names=("a", "b", "c"), edges=(("a", "b", 0.5), ("b", "c", 0.2)), choices=(("a", "b"), ("b", "c"))
    ... )
    >>> print(tree)
    a – b, b – c
    """

    drawn_by: ClassVar[str] = "dependence_tree"

    names: tuple[str, ...]
    edges: tuple[tuple[str, str, float], ...]
    choices: tuple[tuple[str, ...], ...]
    taken: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{a} – {b}" for a, b, _ in self.edges)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"from": a, "to": b, "weight": weight} for a, b, weight in self.edges]


class Emad(Microaggregation):
    """Another method makes the groups, from a few attributes; all attributes are then masked by these groups.

    Which attributes: every pair is weighed by how much one tells about the other, the maximum spanning tree of
    these weights is the best tree of dependence (Chow & Liu, 1968), and the attributes with most edges in it are
    taken. Where several choices have as many edges, groups are made from each, up to `choices` of them, those with
    the heavier edges first, and the groups that lose least are kept. (The source lists all of them and their losses.)
    The tree and the attributes that were taken are told. The weights of `dependence`:

    - `emim`: mutual information Σ p(a, b) log p(a, b)/(p(a) p(b)), values cut into intervals;
    - `chi_square`: Σ (p(a, b) − p(a) p(b))²/(p(a) p(b)), cut likewise;
    - `normal`: −½ log(1 − ρ²), the mutual information of normal attributes; needs no intervals.

    All attributes are cut into as many `intervals`; or, where `width` is given, into intervals that are as wide in the
    units of the data, counted from the least value, which suits attributes of one unit, such as amounts of money.

    It loses more than the method on all attributes, since distances see only what was chosen, and with `choices=1` it is
    faster. Use it for files of very many attributes. Missing values stand at the mean. Sizes of groups are those of the
    method that makes them.

    Source: Fayyoumi, *thesis*, Algorithm 13, equations 6.5, 6.6 and 6.11, and §6.3.2 (width).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"income": [1.0, 9.0, 2.0, 8.0], "tax": [0.1, 0.8, 0.2, 0.9], "age": [30.0, 41.0, 52.0, 33.0]})
    >>> people = table_from_frame(people)
    >>> emad = Emad(k=2, variables=1, dependence="normal", attributes=("income", "tax", "age"))
    >>> emad.apply(people, np.random.default_rng(1))["age"].tolist()
    [41.0, 37.0, 41.0, 37.0]
    >>> print(emad.tree(people))
    income – tax, tax – age
    """

    gaps_apart = False  # the groups are made from attributes only

    variables: int = param(default=3, low=1, help="how many attributes the groups are made from")
    dependence: str = param(
        default="emim",
        choices=("emim", "chi_square", "normal"),
        help="how the dependence of a pair is weighed",
    )
    intervals: int = param(default=10, low=2, help="intervals of equal width to cut values into")
    width: float | None = param(
        default=None, low=0, help="width of the intervals in units of the data, in place of their number"
    )
    choices: int = param(
        default=20, low=1, help="of attributes with as many edges, how many choices are tried at most"
    )
    grouping: str = param(default="mdav", help="the microaggregation that makes the groups")

    def check(self) -> None:
        super().check()
        if self.width == 0:
            raise ParameterError(f"{self.name}: width must be above 0. Got 0.")
        try:
            found = registry.load("masking", self.grouping)
        except UnknownNameError as error:
            raise ParameterError(f"{self.name}: grouping must be a microaggregation. {error}") from None
        if not issubclass(found, Microaggregation) or issubclass(found, Emad):
            raise ParameterError(
                f"{self.name}: grouping must be a microaggregation other than itself. Got {self.grouping!r}."
            )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Labels of the groups; `width` is in units of X here, where nothing is known of others."""
        return self._best(X, self._weights_of(X, np.ones(X.shape[1])), rng)[1]

    def solve_columns(
        self, X: np.ndarray, rng: np.random.Generator, columns: Measured
    ) -> tuple[np.ndarray, float]:
        weights = self._weights_of(X, columns.units)
        chosen, labels = self._best(X, weights, rng)
        tree = described_tree(weights, columns.names, self.variables, self.choices)
        taken = ", ".join(columns.names[j] for j in chosen)
        tried = f", the best of {len(tree.choices)} such choices" if len(tree.choices) > 1 else ""
        progress.note(f"{self.name}: tree of dependence {tree}; groups are made from {taken}{tried}.")
        return self.refined(X, labels, rng), 0.0

    def work(self, table: Table, rng: np.random.Generator) -> DependenceTree | None:
        """The tree, and the attributes that were taken; not where each stratum has a tree of its own."""
        if table.n < 2 * self.k or self.k == 1 or len(table.strata()) > 1:
            return None
        tree, values = self.tree(table), table.numbers(self.targets(table))
        scales = column_scales(values)
        X = self.points(values, scales)
        chosen = self._best(X, self._weights_of(X, scales.unit_after(self.standardise)), rng)[0]
        return dataclasses.replace(tree, taken=tuple(tree.names[j] for j in chosen))

    def tree(self, table: Table) -> DependenceTree:
        """The tree of a table as a whole, and all choices of attributes with most edges."""
        names = self.targets(table)
        scales = column_scales(table.numbers(names))
        X = self.points(table.numbers(names), scales)
        return described_tree(self._weights_of(X, scales.unit_after(self.standardise)), names, self.variables)

    def _best(
        self, X: np.ndarray, weights: np.ndarray, rng: np.random.Generator
    ) -> tuple[tuple[int, ...], np.ndarray]:
        """The columns whose groups lose least, and these groups."""
        method: Microaggregation = registry.make("masking", {"method": self.grouping, "k": self.k})
        found = [
            (choice, method.group(np.ascontiguousarray(X[:, choice]), rng))
            for choice in best_connected(weights, self.variables, self.choices)
        ]
        return min(found, key=lambda one: squares(X, one[1])) if len(found) > 1 else found[0]

    def _weights_of(self, X: np.ndarray, units: np.ndarray) -> np.ndarray:
        if self.dependence == "normal":
            return normal_information(X)
        if self.width is not None:
            return pair_weights(intervals_of(X, self.width * units), self.dependence)
        # a hair wider, so that the largest value is in the last interval and not alone in one more
        return pair_weights(intervals_of(X, np.ptp(X, axis=0) * (1 + 1e-6) / self.intervals), self.dependence)


def described_tree(
    weights: np.ndarray, names: tuple[str, ...], count: int, most: int | None = None
) -> DependenceTree:
    tree = dependence_tree(weights)
    rows, columns = np.nonzero(np.triu(tree))
    return DependenceTree(
        names=names,
        edges=tuple((names[i], names[j], float(weights[i, j])) for i, j in zip(rows, columns, strict=True)),
        choices=tuple(tuple(names[j] for j in choice) for choice in best_connected(weights, count, most)),
    )
