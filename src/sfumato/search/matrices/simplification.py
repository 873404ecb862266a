"""Equations in their simplest form: the same matrix, to the last bit, from a shorter text.

Only rules are used that hold for protected division and for rounded numbers: x - x is 0, x / x is 1 (0 / 0
too), but x * y / y is not x where y is 0. Sums and differences of quantities are collected, since whole
numbers are added without rounding as long as they are small beside 2^53.
"""

from functools import reduce
from math import gcd

from sfumato.masking.matrices.equations import TERMINALS, Equation

ZERO, ONE = Equation("0"), Equation("1")
ORDER = (*TERMINALS, "")  # the last one stands for 1
MOST_COUNTED = 4096  # quantities added up in a sum; with as many as 2^40 records it is still exact

Sum = dict[str, int]


def simplified(equation: Equation) -> Equation:
    """The simplest form of an equation that the rules reach.

    >>> for text in ("N * (freq_i - freq_i) + freq_j", "freq_i - (freq_j - N) - N", "(N + N) / (N * 2)"):
    ...     print(simplified(Equation.parse(text)))
    freq_j
    freq_i - freq_j
    1
    >>> str(simplified(Equation.parse("0 / freq_min")))  # 1 where freq_min is 0
    '0 / freq_min'
    """
    if not equation.operands:
        return equation
    left, right = (simplified(part) for part in equation.operands)
    whole = Equation(equation.symbol, (left, right))
    collected = _sum_of(whole)
    if collected is not None:
        return _as_equation(collected[0])
    return RULES[equation.symbol](left, right)


def _added(a: Equation, b: Equation) -> Equation:
    if ZERO in (a, b):
        return b if a == ZERO else a
    if a == b:
        return _multiplied(Equation("2"), a)
    for one, other in ((a, b), (b, a)):
        if _is_negation(other):
            return _subtracted(one, other.operands[1])
    return Equation("+", _sorted(a, b))


def _subtracted(a: Equation, b: Equation) -> Equation:
    if b == ZERO:
        return a
    if a == b:
        return ZERO
    if _is_negation(b):
        return _added(a, b.operands[1])
    return Equation("-", (a, b))


def _multiplied(a: Equation, b: Equation) -> Equation:
    if ZERO in (a, b):
        return ZERO
    if ONE in (a, b):
        return b if a == ONE else a
    return Equation("*", _sorted(a, b))


def _divided(a: Equation, b: Equation) -> Equation:
    if b == ZERO or a == b:
        return ONE
    if b == ONE:
        return a
    if a.value is not None and b.value is not None and (a.value / b.value).is_integer():
        return Equation.number(a.value / b.value)
    return Equation("/", (a, b))


RULES = {"+": _added, "-": _subtracted, "*": _multiplied, "/": _divided}


def _is_negation(equation: Equation) -> bool:
    return equation.symbol == "-" and equation.operands[0] == ZERO


def _sorted(a: Equation, b: Equation) -> tuple[Equation, Equation]:
    """Numbers first, then the shorter; the order of what is added or multiplied changes nothing."""
    first, second = sorted((a, b), key=lambda part: (part.value is None, part.size, str(part)))
    return first, second


def _sum_of(equation: Equation) -> tuple[Sum, int] | None:
    """How often each quantity is added, and how many are before any cancel; nothing if it is no such sum."""
    if not equation.operands:
        value = equation.value
        if value is None:
            return {equation.symbol: 1}, 1
        return ({"": int(value)}, int(value)) if value.is_integer() and value <= MOST_COUNTED else None
    parts = [_sum_of(part) for part in equation.operands]
    if equation.symbol == "/" or parts[0] is None or parts[1] is None:
        return None
    (a, reach), (b, more) = parts[0], parts[1]
    if equation.symbol == "*":
        if not (_is_number(a) or _is_number(b)):
            return None
        times, terms = (a.get("", 0), b) if _is_number(a) else (b.get("", 0), a)
        found, reach = {name: times * count for name, count in terms.items()}, reach * more
    else:
        sign = 1 if equation.symbol == "+" else -1
        found, reach = {name: a.get(name, 0) + sign * b.get(name, 0) for name in {**a, **b}}, reach + more
    found = {name: count for name, count in found.items() if count}
    return (found, reach) if reach <= MOST_COUNTED else None


def _is_number(terms: Sum) -> bool:
    return not set(terms) - {""}


def _as_equation(terms: Sum) -> Equation:
    """A sum as it is written: what is added first, in the usual order, a common factor in front."""
    if not terms:
        return ZERO
    factor = reduce(gcd, terms.values())
    if factor > 1 and len(terms) > 1:
        rest = _as_equation({name: count // factor for name, count in terms.items()})
        return Equation("*", (Equation.number(factor), rest))
    names = sorted(terms, key=lambda name: (terms[name] < 0, ORDER.index(name)))
    found = ZERO if terms[names[0]] < 0 else None
    for name in names:
        term = _term(name, abs(terms[name]))
        found = term if found is None else Equation("+" if terms[name] > 0 else "-", (found, term))
    assert found is not None
    return found


def _term(name: str, count: int) -> Equation:
    if not name:
        return Equation.number(count)
    return Equation(name) if count == 1 else Equation("*", (Equation.number(count), Equation(name)))
