"""A formula for PRAM worked out as one would by hand: with fractions, cell by cell, on a stack (Algorithm 8)."""

import ast
from fractions import Fraction

import numpy as np

from sfumato.data import Table


def matrix_by_hand(formula: str, table: Table, name: str) -> np.ndarray:
    """The matrix of one attribute, from the text of the formula and the values of the column alone.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", categories=("f", "m"))
    >>> people = Table(Schema([sex]), {"sex": np.repeat([0, 1], [1, 2])})
    >>> matrix_by_hand("N / (freq_i - freq_j)", people, "sex").tolist()
    [[1.0, 0.0], [0.75, 0.25]]
    """
    values = [int(code) for code in table[name]]
    T = [values.count(category) for category in range(table.schema[name].domain_size)]
    elements = _postorder(ast.parse(formula, mode="eval").body)
    rows = []
    for i, left in enumerate(T):
        known = {"N": sum(T), "freq_max": max(T), "freq_min": min(T), "freq_i": left}
        cells = [max(_executed(elements, {**known, "freq_j": reached}), Fraction(0)) for reached in T]
        total = sum(cells)
        rows.append(
            [float(cell / total) for cell in cells] if total else [float(i == j) for j in range(len(T))]
        )
    return np.array(rows)


def _postorder(node: ast.expr) -> list[str]:
    """Operands before their operator."""
    if isinstance(node, ast.BinOp):
        return [*_postorder(node.left), *_postorder(node.right), type(node.op).__name__]
    return [ast.unparse(node)]


def _executed(elements: list[str], known: dict[str, int]) -> Fraction:
    stack: list[Fraction] = []
    for element in elements:
        if element in ("Add", "Sub", "Mult", "Div"):
            second, first = stack.pop(), stack.pop()
            stack.append(_performed(element, first, second))
        else:
            stack.append(Fraction(known[element]) if element in known else Fraction(element))
    return stack.pop()


def _performed(operator: str, first: Fraction, second: Fraction) -> Fraction:
    if operator == "Div":
        return first / second if second else Fraction(1)
    return {"Add": first + second, "Sub": first - second, "Mult": first * second}[operator]
