"""Parameters of methods: described once, read by Python, command line, documentation and the check."""

import dataclasses
import inspect
import math
import types
import typing
from dataclasses import dataclass
from typing import Any

from sfumato.core.errors import ParameterError, UnknownNameError


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a method: its type, default, bounds and a line of help."""

    name: str
    type: type
    repeated: bool
    optional: bool
    default: Any
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    help: str

    def rule(self) -> str:
        """Say in words what a value must be.

        >>> from sfumato.masking import Mdav
        >>> parameters(Mdav)["k"].rule()
        'an integer of at least 1'
        """
        noun = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}[self.type]
        if self.choices:
            noun = "one of " + ", ".join(self.choices)
        if self.repeated:
            noun = "a list, each item " + noun
        if self.low is not None and self.high is not None:
            noun += f" from {self.low:g} to {self.high:g}"
        elif self.low is not None:
            noun += f" of at least {self.low:g}"
        elif self.high is not None:
            noun += f" of at most {self.high:g}"
        return noun + (" or nothing" if self.optional else "")

    def checked(self, owner: str, value: Any) -> Any:
        """Return the value in its canonical form, or refuse it with the rule it breaks."""
        if value is None and self.optional:
            return None
        if self.repeated:
            if isinstance(value, str | bytes) or not isinstance(value, list | tuple):
                raise self._refusal(owner, value)
            return tuple(self._item(owner, item) for item in value)
        return self._item(owner, value)

    def _item(self, owner: str, value: Any) -> Any:
        kind: Any = self.type
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if hasattr(value, "item") and not isinstance(value, str):  # numpy scalars
            value = value.item()
        if type(value) not in (kind,) or (kind is float and not math.isfinite(value)):
            raise self._refusal(owner, value)
        too_small = self.low is not None and value < self.low
        too_large = self.high is not None and value > self.high
        if too_small or too_large or (self.choices and value not in self.choices):
            raise self._refusal(owner, value)
        return value

    def _refusal(self, owner: str, value: Any) -> ParameterError:
        return ParameterError(f"{owner}: {self.name} must be {self.rule()}. Got {value!r}.")


def param(
    *,
    default: Any,
    help: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare a parameter of a method, with its default, bounds (both included) and help."""
    return dataclasses.field(
        default=default, metadata={"help": help, "low": low, "high": high, "choices": choices}
    )


def parameters(method: type) -> dict[str, Parameter]:
    """All parameters of a method class by name, its own first and the shared ones last.

    >>> from sfumato.masking import RankSwapping
    >>> list(parameters(RankSwapping))
    ['p', 'attributes']
    """
    known: dict[str, Parameter] | None = method.__dict__.get("_parameters")
    if known is None:
        hints = typing.get_type_hints(method)
        declared = [inspect.get_annotations(owner) for owner in method.__mro__]
        fields = [f for f in dataclasses.fields(method) if f.init]
        fields.sort(key=lambda f: next(depth for depth, names in enumerate(declared) if f.name in names))
        known = {f.name: _described(f, hints[f.name]) for f in fields}
        method._parameters = known  # type: ignore[attr-defined]
    return known


def check_names(owner: str, given: typing.Iterable[str], method: type) -> None:
    """Refuse parameter names the method does not have."""
    known = parameters(method)
    for name in given:
        if name not in known:
            raise UnknownNameError(f"parameter of {owner}", name, known)


def _described(field: "dataclasses.Field[Any]", hint: Any) -> Parameter:
    optional = typing.get_origin(hint) in (types.UnionType, typing.Union)
    if optional:
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    repeated = typing.get_origin(hint) is tuple
    if repeated:
        hint = typing.get_args(hint)[0]
    if field.name == "method":
        raise TypeError("method: a spec names the method by this word; call the parameter something else")
    if hint not in (int, float, bool, str):
        raise TypeError(f"{field.name}: a parameter is an int, float, bool, str, or a tuple of one of them")
    return Parameter(
        name=field.name,
        type=hint,
        repeated=repeated,
        optional=optional,
        default=field.default,
        **field.metadata,
    )
