"""PRAM: categories are redrawn at random by the rows of a Markov matrix."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Advice, Aliases, DataError, ParameterError, Result, param
from sfumato.data import Attribute, Table
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.matrices.markov_matrices import BUILDERS, frequencies, redraw
from sfumato.masking.matrices.matrix_files import SUFFIX, MatrixFile, read_matrices

LARGEST_DOMAIN = 5000  # a matrix of doubles then takes 200 MB
LARGEST_CONDITION = 1e12


class Pram(InParts):
    """The post-randomisation method: category k becomes l with probability p_kl.

    Each attribute has a matrix of its own over the declared domain, so a record may take a category that no
    record had. `matrix="frequency"` keeps a category with probability p_kk = p and moves it with

        p_kl = (1 − p) (ΣT − T(k) − T(l)) / ((n − 2) (ΣT − T(k)))        (eq. 2.3)

    where T(i) is the frequency of category i and n the number of categories: rare categories are the
    likeliest to be moved to. Where the equation has no value, the rest 1 − p is shared equally: with two
    categories, or for the row of a category that holds all records. An only category stays what it is.
    The other matrices:

    - `diagonal`: p_kk = 1 − θ T(K) / T(k), the same for all others (eqs. 2.4 and 2.5); K is the rarest
      category that occurs. Frequent categories stay, rare ones move with probability `theta`.
    - `uniform`: left alone with probability p, otherwise drawn from the whole domain.
    - `max_entropy`: p_kk = p, the same for all others.
    - `invariant`: max_entropy and then its inverse by Bayes' rule, so that expected frequencies are kept,
      T R = T, and nobody gets a category that none had. A category stays with another probability than p.

    Or `matrix` is the path of a JSON file that holds a matrix for each attribute, such as `sfumato evolve-pram`
    writes, or an equation that makes them. Where no attributes are named, those of the file are masked.

    Whoever knows the matrix can estimate the original counts from the masked ones without bias: see
    `estimate`. Only under `invariant` the masked counts need no such correction.

    Missing values stay missing and count for no frequency. With strata, each stratum has a matrix of its
    own, made from its own frequencies.

    Source: Gouweleeuw et al. (1998); De Wolf & Van Gelder (2004), as in Marés, *thesis*, §2.3.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"region": ["north", "south", "south", "east", "south", "north"]}))
    >>> Pram(p=0.5).matrices(people)["region"].round(3).tolist()
    [[0.5, 0.3, 0.2], [0.375, 0.5, 0.125], [0.333, 0.167, 0.5]]
    >>> masked = Pram(p=0.5).apply(people, np.random.default_rng(1))
    >>> masked.to_arrow()["region"].to_pylist()
    ['north', 'south', 'east', 'south', 'east', 'north']
    >>> Pram(matrix="diagonal", theta=0.6).matrices(people)["region"].round(3).tolist()
    [[0.4, 0.3, 0.3], [0.15, 0.7, 0.15], [0.1, 0.1, 0.8]]
    """

    aliases: ClassVar[Aliases] = {"Unif PRAM": {"matrix": "diagonal"}, "Freq PRAM": {"matrix": "frequency"}}

    scales = ("ordinal", "nominal")
    parted_by = "records"
    grid: ClassVar = {"p": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
    for_users: ClassVar[Advice] = Advice(
        done="Categories were redrawn at random: a record keeps its category with a certain probability, "
        "and takes another one otherwise.",
        effect="Frequencies are shifted towards those of the random draw, and associations with other "
        "variables are weaker than they were.",
        remedy="Ask the producer for frequencies that are corrected with the inverse of the transition "
        "matrix; take associations in the file as understated, and small shares as unreliable.",
    )

    matrix: str = param(
        default="frequency",
        file=True,
        help=f"how the Markov matrix is made, one of {', '.join(BUILDERS)}, or a file of matrices ({SUFFIX})",
    )
    p: float = param(default=0.8, low=0, high=1, help="probability that a category stays what it is")
    theta: float = param(
        default=0.5, low=0, high=1, help="diagonal: probability that the rarest category changes"
    )

    def check(self) -> None:
        if self.matrix not in BUILDERS and not self.matrix.endswith(SUFFIX):
            raise ParameterError(
                f"{self.name}: matrix must be one of {', '.join(BUILDERS)}, or the name of a file that ends in "
                f"{SUFFIX}. Got {self.matrix!r}."
            )

    @property
    def named(self) -> tuple[str, ...]:
        """The attributes given or, if none is, those that the file of matrices is for."""
        stored = None if self.attributes else self._stored()
        return self.attributes if stored is None else stored.names

    @property
    def advice(self) -> Advice:
        """Frequencies need no correction where the matrix keeps them."""
        if self.matrix != "invariant":
            return self.for_users
        return self.for_users._replace(
            effect="Frequencies are kept on average, and no more than chance moves them; associations with "
            "other variables are weaker than they were.",
            remedy="Use frequencies as they are, with a slightly larger error than that of a sample, and take "
            "associations as understated.",
        )

    def keyed_by(self) -> dict[str, Any]:
        """The spec, with what a file of matrices holds in place of where it lies."""
        stored = self._stored()
        return self.spec() if stored is None else {**self.spec(), "matrix": stored.digest}

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        stored = self._stored()
        matrices = {name: self._matrix(part.schema[name], whole, stored) for name in names}
        return part.replace({name: redraw(part[name], P, rng) for name, P in matrices.items()})

    def matrices(self, table: Table) -> dict[str, np.ndarray]:
        """The matrix of each column, from the whole table; strata are looked at one by one with `take`."""
        stored, whole = self._stored(), Whole.of(table)
        return {name: self._matrix(table.schema[name], whole, stored) for name in self.targets(table)}

    def estimate(self, masked: Table, matrices: Mapping[str, np.ndarray]) -> "dict[str, CountEstimates]":
        """Unbiased estimates of the original counts of each masked column, given the matrices it was drawn by."""
        return {name: estimate_counts(masked.schema[name], masked[name], P) for name, P in matrices.items()}

    def _stored(self) -> MatrixFile | None:
        return None if self.matrix in BUILDERS else read_matrices(self.matrix)

    def _matrix(self, attribute: Attribute, whole: Whole, stored: MatrixFile | None) -> np.ndarray:
        n = attribute.domain_size
        if n > LARGEST_DOMAIN:
            raise DataError(
                f"{self.name}: column {attribute.name} must have at most {LARGEST_DOMAIN} categories for a matrix; "
                f"recode it first. Got {n}."
            )
        T = whole.frequencies(attribute.name)
        if stored is not None:
            return stored.matrix(attribute, T)
        parameter = self.theta if self.matrix == "diagonal" else self.p
        return BUILDERS[self.matrix](T, parameter)


class CountEstimates(Result):
    """How many records had each category, with the covariance of the estimates.

    They are unbiased, and so may be negative where a category is rare; they add up to the records present.
    """

    column: str
    categories: tuple[str, ...]
    counts: np.ndarray
    covariance: np.ndarray

    @property
    def variances(self) -> np.ndarray:
        """The estimated variance of each count, never below 0."""
        return np.maximum(np.diag(self.covariance), 0)

    def to_dict(self) -> dict[str, Any]:
        rows = {row.pop("category"): row for row in self._rows()}
        return {"column": self.column, "categories": rows}

    def _rows(self) -> list[dict[str, Any]]:
        errors = np.sqrt(self.variances)
        rows = zip(self.categories, self.counts.tolist(), errors.tolist(), strict=True)
        return [{"category": c, "count": count, "error": error} for c, count, error in rows]


def estimate_counts(attribute: Attribute, masked: np.ndarray, P: np.ndarray) -> CountEstimates:
    """Undo PRAM on the average: t̂ = t' P⁻¹, where t' are the counts of the masked codes.

    Given the original counts t, the masked ones have the mean t P and the covariance Σ_k t(k) V_k with
    V_k = diag(P_k) − P_kᵀ P_k. So

        Cov(t̂) = P⁻ᵀ (Σ_k t(k) V_k) P⁻¹,

    which is linear in t: with t̂ in its place the covariance is estimated without bias too. Missing values
    count for no category.

    Source: Gouweleeuw et al. (1998); Kooiman et al. (1997).

    >>> region = Attribute(name="region", scale="nominal", categories=("north", "south"))
    >>> P = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> found = estimate_counts(region, np.repeat([0, 1], [38, 62]), P)
    >>> found.counts.round(6).tolist(), found.variances.round(3).tolist()
    ([30.0, 70.0], [44.444, 44.444])
    """
    if P.shape != (attribute.domain_size, attribute.domain_size):
        raise DataError(
            f"pram: the matrix of column {attribute.name} must have a row and a column for each of its "
            f"{attribute.domain_size} categories. Got {' × '.join(map(str, P.shape))}."
        )
    if attribute.domain_size and np.linalg.cond(P) > LARGEST_CONDITION:
        raise DataError(
            f"pram: the matrix of column {attribute.name} has no inverse: the original counts cannot be known."
        )
    inverse = np.linalg.inv(P)
    counts = frequencies(masked, attribute.domain_size) @ inverse
    spread = np.diag(counts @ P) - (P * counts[:, None]).T @ P
    return CountEstimates(
        column=attribute.name,
        categories=attribute.categories,
        counts=counts,
        covariance=inverse.T @ spread @ inverse,
    )
