"""EMAD: microaggregation on the few attributes that most others depend on."""

import numpy as np

from sfumato.core import ParameterError, UnknownNameError, param, registry
from sfumato.masking._dependence import (
    chi_square,
    dependence_tree,
    intervals_of,
    mutual_information,
    normal_information,
)
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
    files of very many attributes. Sizes of groups are those of the method that makes them.

    Source: Fayyoumi, *thesis*, Algorithm 13 and equations 6.5, 6.6 and 6.11.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = pa.table({"income": [1.0, 9.0, 2.0, 8.0], "tax": [0.1, 0.8, 0.2, 0.9], "age": [30.0, 41.0, 52.0, 33.0]})
    >>> people = table_from_frame(people)
    >>> emad = Emad(k=2, variables=1, dependence="normal", attributes=("income", "tax", "age"))
    >>> emad.apply(people, np.random.default_rng(1))["age"].tolist()
    [41.0, 37.0, 41.0, 37.0]
    """

    variables: int = param(default=3, low=1, help="how many attributes the groups are made from")
    dependence: str = param(
        default="emim",
        choices=("emim", "chi_square", "normal"),
        help="how the dependence of a pair is weighed",
    )
    intervals: int = param(default=10, low=2, help="intervals of equal width to cut values into")
    grouping: str = param(default="mdav", help="the microaggregation that makes the groups")

    def check(self) -> None:
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
