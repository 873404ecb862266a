"""TOML texts, which may be written by anybody."""

import re
import tomllib
from typing import Any

from sfumato.core.errors import DataError

DOTTED = re.compile(r"""[\w"'-]++(?:[ \t]*+\.[ \t]*+[\w"'-]++)*+""")
DEEPEST = 100  # parts of a dotted key; the time that the parser needs grows with their square


def parsed_toml(text: str, source: str) -> dict[str, Any]:
    """The tables of a text; `source` is named where it is wrong.

    >>> parsed_toml("a = " + 9999 * "[", "s.toml")
    Traceback (most recent call last):
    sfumato.core.errors.DataError: s.toml: not valid TOML: it is nested too deeply.
    """
    try:
        if any(found[0].count(".") > DEEPEST for found in DOTTED.finditer(text)):
            raise RecursionError
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{source}: not valid TOML: {error}.") from None
    except RecursionError:
        raise DataError(f"{source}: not valid TOML: it is nested too deeply.") from None
    except ValueError:  # an integer of thousands of digits
        raise DataError(f"{source}: not valid TOML: a number in it is too long.") from None
