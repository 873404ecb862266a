"""Equations that make Markov matrices for PRAM: arithmetic on the frequencies of the categories.

An equation says how much of category i goes to category j, in shares of its row. It knows five quantities:
`N`, the number of records that have a value; `freq_max` and `freq_min`, the largest and the smallest
frequency over the declared domain (0 where no record has a category); `freq_i` and `freq_j`, the frequencies
of the category that is left and of the one that is reached. Numbers may stand beside them.

    + - *     as usual; what grows beyond the largest number a computer holds stays there
    /         protected: what is divided by 0 is 1

So `freq_i - freq_j` is 0 where a category stays, and dividing by it gives 1 there: an equation can tell the
diagonal of its matrix from the rest.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from sfumato.core import ParameterError

TERMINALS = ("N", "freq_max", "freq_min", "freq_i", "freq_j")
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
SPELLINGS = str.maketrans({"−": "-", "×": "*", "·": "*", "÷": "/"})
LARGEST = float(np.finfo(np.float64).max)
MOST_LEVELS = 100
LONGEST = 10_000  # characters

_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def divided(a: Any, b: Any) -> Any:
    """Protected division.

    >>> divided(np.array([6.0, 6.0, 0.0]), np.array([2.0, 0.0, 0.0])).tolist()
    [3.0, 1.0, 1.0]
    """
    none = np.equal(b, 0)
    return np.where(none, 1.0, np.divide(a, np.where(none, 1.0, b)))


_APPLIED: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": divided,
}


@dataclass(frozen=True, slots=True)
class Equation:
    """A tree: an operator over two equations, a quantity, or a number. Its text reads back as the same tree.

    >>> equation = Equation.parse("freq_max / (freq_i - freq_j)")
    >>> str(equation), equation.depth, equation.size
    ('freq_max / (freq_i - freq_j)', 3, 5)
    >>> equation.matrix(np.array([6, 3, 1])).round(3).tolist()
    [[0.238, 0.476, 0.286], [0.0, 0.25, 0.75], [0.0, 0.0, 1.0]]
    """

    symbol: str
    operands: tuple["Equation", ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an equation as it is printed; −, ×, · and ÷ are understood too."""
        try:
            if len(text) > LONGEST:
                raise _refusal("it is too long")
            tree = ast.parse(text.translate(SPELLINGS).strip(), mode="eval")
            found = cls._read(tree.body, MOST_LEVELS)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if isinstance(error, ParameterError):
                raise
            raise _refusal("it is no arithmetic expression") from None
        return found

    @classmethod
    def number(cls, value: float) -> Self:
        """A number that is not below 0.

        >>> Equation.number(2.0), Equation.number(0.25)
        (Equation(symbol='2', operands=()), Equation(symbol='0.25', operands=()))
        """
        return cls(str(int(value)) if float(value).is_integer() else repr(float(value)))

    @classmethod
    def _read(cls, node: ast.expr, levels: int) -> Self:
        if not levels:
            raise _refusal(f"it is nested more than {MOST_LEVELS} levels deep")
        if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
            operands = cls._read(node.left, levels - 1), cls._read(node.right, levels - 1)
            return cls(_SIGNS[type(node.op)], operands)
        if isinstance(node, ast.Name):
            if node.id not in TERMINALS:
                raise _refusal(f"{node.id!r} is not known")
            return cls(node.id)
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value > LARGEST:
                raise _refusal("a number is too large")
            return cls.number(float(value))
        raise _refusal("it holds something else")

    @property
    def depth(self) -> int:
        """The number of levels; a quantity or number has one."""
        return 1 + max((part.depth for part in self.operands), default=0)

    @property
    def size(self) -> int:
        """The number of operators, quantities and numbers."""
        return 1 + sum(part.size for part in self.operands)

    @property
    def value(self) -> float | None:
        """The number it is; nothing for anything else."""
        return None if self.operands or self.symbol in TERMINALS else float(self.symbol)

    def __str__(self) -> str:
        if not self.operands:
            return self.symbol
        left, right = self.operands
        mine = STRENGTH[self.symbol]
        first = f"({left})" if STRENGTH.get(left.symbol, 3) < mine else str(left)
        second = f"({right})" if STRENGTH.get(right.symbol, 3) <= mine else str(right)
        return f"{first} {self.symbol} {second}"

    def evaluate(self, quantities: Mapping[str, Any]) -> Any:
        """Its value for some values of the quantities: numbers, or arrays that fit together."""
        if not self.operands:
            known = quantities.get(self.symbol)
            return float(self.symbol) if known is None else known
        left, right = (part.evaluate(quantities) for part in self.operands)
        with np.errstate(over="ignore", under="ignore"):
            return np.clip(_APPLIED[self.symbol](left, right), -LARGEST, LARGEST)

    def matrix(self, T: np.ndarray) -> np.ndarray:
        """The row-stochastic matrix for the frequencies T of the categories.

        Cells below 0 count as 0, and each row is divided by its sum. A row of zeros says nothing of where to
        go: the category stays what it is.
        """
        cells = np.broadcast_to(self.evaluate(quantities_of(T)), (len(T), len(T)))
        return stochastic(cells)


def quantities_of(T: np.ndarray) -> dict[str, Any]:
    counts = np.asarray(T, np.float64)
    return {
        "N": counts.sum(),
        "freq_max": counts.max(initial=0.0),
        "freq_min": counts.min() if len(counts) else 0.0,
        "freq_i": counts[:, None],
        "freq_j": counts,
    }


def stochastic(cells: np.ndarray) -> np.ndarray:
    """Rows of probabilities, from finite cells.

    >>> stochastic(np.array([[2.0, 6.0], [-1.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 1.0]]
    """
    P: np.ndarray = np.maximum(cells, 0.0)
    largest = P.max(axis=1, initial=0.0)
    P[largest == 0] = np.eye(len(P))[largest == 0]
    P /= np.where(largest == 0, 1.0, largest)[:, None]  # first, so that no sum is beyond the largest number
    P /= P.sum(axis=1, keepdims=True)
    return P


def _refusal(why: str) -> ParameterError:
    return ParameterError(
        f"equation: must hold {', '.join(TERMINALS)}, numbers, + - * / and parentheses; {why}."
    )
