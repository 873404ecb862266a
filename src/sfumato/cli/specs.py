"""Methods as the command line takes them: JSON, as records and study files hold them."""

import json
from typing import Any

import click


class Spec(click.ParamType):  # type: ignore[type-arg]
    """A method by name and parameters, or a list of methods."""

    name = "spec"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The spec as plain values."""
        if not isinstance(value, str):
            return value
        try:
            spec = json.loads(value)
        except ValueError as error:
            self.fail(f"a masking is given as JSON, which this is not ({error})", param, ctx)
        if not isinstance(spec, dict | list):
            self.fail("a masking is a JSON object with the key method, or a list of those", param, ctx)
        return spec
