"""EMAD: microaggregation on the few attributes that most others depend on."""

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from sfumato.core import ParameterError, UnknownNameError, param, registry
from sfumato.masking._microaggregation import Microaggregation


class Emad(Microaggregation):
    """Another method makes the groups, from a few attributes; all attributes are then masked by these groups.

    Which attributes: every pair is weighed by how much one tells about the other, the maximum spanning tree of
    these weights is the best tree of dependence (Chow & Liu, 1968), and the attributes with most edges in it are
    taken; of those with equally many edges the ones with the heavier edges, then the ones that come first. (The
    source leaves the choice among equals open.) The weights of `dependence`:

    - `emim`: mutual information Σ p(a, b) log p(a, b)/(p(a) p(b)), values cut into `intervals` of equal width;
    - `chi_square`: Σ (p(a, b) − p(a) p(b))²/(p(a) p(b)), cut likewise;
    - `normal`: −½ log(1 − ρ²), the mutual information of normal attributes; needs no intervals.

    It is faster than the method on all attributes and loses more: distances see only what was chosen. Use it for
    files of very many attributes. Missing values stand at the mean. Sizes of groups are those of the method that makes them.

    Source: Fayyoumi, *thesis*, Algorithm 13 and equations 6.5, 6.6 and 6.11.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"income": [1.0, 9.0, 2.0, 8.0], "tax": [0.1, 0.8, 0.2, 0.9], "age": [30.0, 41.0, 52.0, 33.0]})
    >>> people = table_from_frame(people)
    >>> emad = Emad(k=2, variables=1, dependence="normal", attributes=("income", "tax", "age"))
    >>> emad.apply(people, np.random.default_rng(1))["age"].tolist()
    [41.0, 37.0, 41.0, 37.0]
    """

    gaps_apart = False  # the groups are made from attributes only

    variables: int = param(default=3, low=1, help="how many attributes the groups are made from")
    dependence: str = param(
        default="emim",
        choices=("emim", "chi_square", "normal"),
        help="how the dependence of a pair is weighed",
    )
    intervals: int = param(default=10, low=2, help="intervals of equal width to cut values into")
    grouping: str = param(default="mdav", help="the microaggregation that makes the groups")

    def check(self) -> None:
        super().check()
        try:
            found = registry.load("masking", self.grouping)
        except UnknownNameError as error:
            raise ParameterError(f"{self.name}: grouping must be a microaggregation. {error}") from None
        if not issubclass(found, Microaggregation) or issubclass(found, Emad):
            raise ParameterError(
                f"{self.name}: grouping must be a microaggregation other than itself. Got {self.grouping!r}."
            )

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        method: Microaggregation = registry.make("masking", {"method": self.grouping, "k": self.k})
        return method.group(np.ascontiguousarray(X[:, self.chosen(X)]), rng)

    def chosen(self, X: np.ndarray) -> np.ndarray:
        """The numbers of the best-connected columns, in their order in the file."""
        weights = self._weights_of(X)
        tree = dependence_tree(weights)
        edges, strength = tree.sum(axis=0), np.where(tree, weights, 0).sum(axis=0)
        order = np.lexsort((-strength, -edges))
        return np.sort(order[: self.variables])

    def _weights_of(self, X: np.ndarray) -> np.ndarray:
        if self.dependence == "normal":
            return normal_information(X)
        # a hair wider, so that the largest value is in the last interval and not alone in one more
        codes = intervals_of(X, np.ptp(X, axis=0) * (1 + 1e-9) / self.intervals)
        weigh = mutual_information if self.dependence == "emim" else chi_square
        d = X.shape[1]
        weights = np.zeros((d, d))
        for i in range(d):
            for j in range(i):
                weights[i, j] = weights[j, i] = weigh(codes[:, i], codes[:, j])
        return weights


def intervals_of(values: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Codes 0, 1, … of the intervals of a width, counted from the least value of each column.

    >>> intervals_of(np.array([[0.0], [99.0], [250.0]]), np.array([100.0])).ravel().tolist()
    [0, 0, 2]
    """
    codes: np.ndarray = ((values - values.min(axis=0)) / np.where(widths > 0, widths, 1)).astype(np.int64)
    return codes


def joint_shares(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of codes that occurs: the share of records that have it, and the product of the two shares."""
    n = len(a)
    _, rows, counts = np.unique(a * (b.max() + 1) + b, return_index=True, return_counts=True)
    a_shares = np.unique(a, return_inverse=True, return_counts=True)
    b_shares = np.unique(b, return_inverse=True, return_counts=True)
    product = a_shares[2][a_shares[1][rows]] * b_shares[2][b_shares[1][rows]]
    return counts / n, product / n**2


def mutual_information(a: np.ndarray, b: np.ndarray) -> float:
    """EMIM, Σ p(a, b) log p(a, b)/(p(a) p(b)) (equation 6.5).

    >>> round(mutual_information(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2])), 4)  # log 2
    0.6931
    """
    p, product = joint_shares(a, b)
    return float((p * np.log(p / product)).sum())


def chi_square(a: np.ndarray, b: np.ndarray) -> float:
    """Σ (p(a, b) − p(a) p(b))²/(p(a) p(b)) over all pairs, also those that do not occur (equation 6.6).

    >>> chi_square(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2]))
    1.0
    """
    p, product = joint_shares(a, b)
    return float((p * p / product).sum() - 1)


def normal_information(X: np.ndarray) -> np.ndarray:
    """−½ log(1 − ρ²) of all pairs of columns; columns that determine each other stay below infinity."""
    spread = X - X.mean(axis=0)
    lengths = np.sqrt((spread**2).sum(axis=0))
    rho = spread.T @ spread / np.maximum(np.outer(lengths, lengths), 1e-300)
    weights: np.ndarray = -0.5 * np.log(np.maximum(1 - rho**2, 1e-15))
    return weights


def dependence_tree(weights: np.ndarray) -> np.ndarray:
    """The maximum spanning tree of a symmetric matrix of weights ≥ 0, as a symmetric matrix of truth values.

    >>> dependence_tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]])).sum(axis=0).tolist()
    [1, 2, 1]
    """
    # costs above 0, since a sparse 0 is no edge; independent attributes are joined as well
    costs = np.triu(weights.max() + 1.0 - weights, 1)
    tree = minimum_spanning_tree(costs).toarray() > 0
    return tree | tree.T
