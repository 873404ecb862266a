"""JSON texts, which may be written by anybody."""

import json
from typing import Any


def parsed_json(text: str) -> Any:
    """What a text holds; a text that is nested so deeply that it cannot be read is no JSON either.

    >>> parsed_json(99999 * "[")
    Traceback (most recent call last):
    ValueError: nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
