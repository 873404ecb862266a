"""How R writes texts, vectors, columns and conditions."""

import json
from collections.abc import Iterable

from sfumato.data import Schema
from sfumato.data.edit_rules import Condition
from sfumato.exports._script import categories_that_hold, is_comparison, limits_of, number

SIGNS = {"=": "=="}


def condition_text(condition: Condition, schema: Schema) -> str:
    attribute, column = schema[condition.column], r_column(condition.column)
    if condition.sign.endswith("missing"):
        return f"is.na({column})" if condition.sign == "is missing" else f"!is.na({column})"
    if not attribute.is_numeric:
        return f"{column} %in% {r_vector(categories_that_hold(condition, attribute))}"
    sign, limits = limits_of(condition)
    if is_comparison(sign):
        return f"{column} {SIGNS.get(sign, sign)} {number(limits[0])}"
    values = f"c({', '.join(map(number, limits))})"
    return f"{column} %in% {values}" if sign == "in" else f"!({column} %in% {values}) & !is.na({column})"


def r_text(value: str) -> str:
    """A text of R; JSON writes all that R reads."""
    return json.dumps(value, ensure_ascii=False)


def r_vector(values: Iterable[str]) -> str:
    return f"c({', '.join(map(r_text, values))})"


def r_breaks(cuts: Iterable[float]) -> str:
    return f"c(-Inf, {', '.join(map(number, cuts))}, Inf)"


def r_column(name: str) -> str:
    return f"d[[{r_text(name)}]]"


def r_symbol(name: str) -> str:
    """A name in a formula."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def r_truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def one_line(text: str) -> str:
    return " ".join(text.split())
