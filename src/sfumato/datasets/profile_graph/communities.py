"""Communities: who belongs where, and in which order the members came."""

from dataclasses import dataclass

import numpy as np

from sfumato.datasets._random_columns import quotas

SPREAD = 0.7  # of the logarithm of the sizes


@dataclass(frozen=True)
class Communities:
    """`members` lists the users community by community, in the order in which they came to each.

    A user is known to the drawing by their place in that list, their rank: community c has the ranks from
    `starts[c]` to `starts[c + 1]`.
    """

    starts: np.ndarray
    members: np.ndarray

    @property
    def count(self) -> int:
        """How many communities there are."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> np.ndarray:
        """How many members each has."""
        return np.diff(self.starts)

    @property
    def of_rank(self) -> np.ndarray:
        """The community of each rank."""
        return np.repeat(np.arange(self.count), self.sizes)

    def by_user(self, values: np.ndarray) -> np.ndarray:
        """Values listed by rank, put in the order of the users."""
        ordered = np.empty_like(values)
        ordered[self.members] = values
        return ordered

    @classmethod
    def drawn(cls, n: int, rng: np.random.Generator) -> "Communities":
        """Communities of unequal size; larger graphs have more of them, and larger ones.

        >>> Communities.drawn(1638, np.random.default_rng(0)).count
        21
        """
        count = max(1, round(n**0.6 / 4))
        sizes = quotas(n, np.exp(SPREAD * rng.standard_normal(count)))
        sizes = sizes[sizes > 0]
        return cls(np.concatenate([[0], np.cumsum(sizes)]), rng.permutation(n))
