"""One way to write a part with its parameters, wherever a part is named: `mdav(k=5, missing=impute)`.

The text of a value is read by the parameter it is for, so that nothing has to be quoted but what holds a comma, a
bracket, a quote or an equals sign. Lists stand in square brackets: `mdav(attributes=[age, income])`.
"""

import re
from typing import TYPE_CHECKING, Any

from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.core.method import Method

OPENING, CLOSING, QUOTES = "([{", ")]}", "\"'"
STARTS = (
    OPENING + ",=+"
)  # what a quote follows that opens; in the middle of a word it is a letter like others
BARE = re.compile(r"[^\s,()\[\]{}\"'=+][^,()\[\]{}\"'=+]*")


def pieces(text: str, separator: str = ",") -> list[str]:
    """The parts of a text between separators that stand in no bracket and in no quotes.

    >>> pieces("mdav(k=5, missing=impute), pram")
    ['mdav(k=5, missing=impute)', 'pram']
    """
    found, depth, start = [], 0, 0
    quote, closed, before = "", -2, separator
    for at, character in enumerate(text):
        if quote:
            if character == quote:
                quote, closed = "", at
        elif character in QUOTES and (before in STARTS or at == closed + 1):
            quote = character
        elif character in OPENING:
            depth += 1
        elif character in CLOSING:
            depth -= 1
        elif character == separator and depth == 0:
            found.append(text[start:at])
            start = at + 1
        before = before if character.isspace() else character
    if depth or quote:
        raise ParameterError(f"A bracket or a quote is not closed, or not opened. Got {text!r}.")
    return [piece.strip() for piece in [*found, text[start:]]]


def named(text: str) -> tuple[str, dict[str, str]]:
    """The name of a part, and the texts of its parameters.

    >>> named("interval_disclosure(ranks=masked, per-record=true)")
    ('interval_disclosure', {'ranks': 'masked', 'per_record': 'true'})
    """
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return _plain_name(name, text), {}
    if not rest.endswith(")"):
        raise ParameterError(f"A part reads name(parameter=value, …). Got {text!r}.")
    given: dict[str, str] = {}
    for piece in pieces(rest[:-1]) if rest[:-1].strip() else []:
        key, equals, value = piece.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise ParameterError(f"{name.strip()}: a parameter is written name=value. Got {piece!r}.")
        if key in given:
            raise ParameterError(f"{name.strip()}: {key} is given twice.")
        given[key] = value.strip()
    return _plain_name(name, text), given


def is_one_part(text: str) -> bool:
    """Whether a text is to be read as one part, and neither as several nor as JSON.

    >>> is_one_part("mdav(k=5)"), is_one_part("mdav + pram"), is_one_part('{"method": "mdav"}')
    (True, False, False)
    """
    return not text.lstrip().startswith(("{", "[")) and len(pieces(text, "+")) == 1


def items(text: str) -> list[str]:
    """The items of a list, with or without its brackets; quotes are taken away.

    >>> items('[age, "income, net"]'), items("age"), items("[]")
    (['age', 'income, net'], ['age'], [])
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
        if not text.strip():
            return []
    found = pieces(text)
    if "" in found:
        raise ParameterError(f"An item of a list must not be empty. Got {text!r}.")
    return [unquoted(piece) for piece in found]


def unquoted(text: str) -> str:
    """A text without the quotes around it; a doubled quote inside stands for one.

    >>> unquoted("'it''s'"), unquoted("plain")
    ("it's", 'plain')
    """
    text = text.strip()
    if len(text) > 1 and text[0] in QUOTES and text[-1] == text[0]:
        return text[1:-1].replace(text[0] * 2, text[0])
    return text


def quoted(text: str) -> str:
    """A text as it can stand in a list or as a value.

    >>> quoted("income, net"), quoted("age")
    ('"income, net"', 'age')
    """
    if BARE.fullmatch(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def written(method: "Method") -> str:
    """A method as a text that reads back as the same method.

    >>> from sfumato.masking import Mdav
    >>> written(Mdav(k=3, attributes=("age", "income, net")))
    'mdav(k=3, attributes=[age, "income, net"])'
    """
    given = ", ".join(f"{name}={written_value(value)}" for name, value in method.non_defaults().items())
    return f"{method.name}({given})" if given else method.name


def written_value(value: Any) -> str:
    from sfumato.core.method import Method

    if isinstance(value, Method):
        return written(value)
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(written_value, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else str(value)


def _plain_name(name: str, text: str) -> str:
    name = name.strip()
    if not name or not re.fullmatch(r"[\w .-]+", name):
        raise ParameterError(f"A part reads name or name(parameter=value, …). Got {text!r}.")
    return name
