"""A masking that another one uses inside: found by its name, with further parameters written as name=value."""

from collections.abc import Sequence

from sfumato.core import ParameterError, UnknownNameError, parameters, registry
from sfumato.core.parameters import Parameter, check_names
from sfumato.masking._contract import Masking

GIVEN_OUTSIDE = ("k", "attributes")

Value = bool | int | float | str


def k_anonymous_masking(
    owner: str, name: str, k: int, options: Sequence[str], attributes: tuple[str, ...] = ()
) -> Masking:
    """The k-anonymous masking called `name`, for the parameter `within` of its owner.

    >>> k_anonymous_masking("clustered", "mondrian", 3, ["relaxed=true"])
    Mondrian(k=3, relaxed=True)
    """
    try:
        method: type[Masking] = registry.load("masking", name)
    except UnknownNameError as error:
        raise ParameterError(f"{owner}: within must be a k-anonymous masking. {error}") from None
    if not method.k_anonymous or name == owner:
        reason = "is this method itself" if name == owner else "does not make a file k-anonymous"
        raise ParameterError(f"{owner}: within must be another k-anonymous masking; {name} {reason}.")
    return method.from_parameters({**_values(owner, method, options), "k": k, "attributes": attributes})


def _values(owner: str, method: type[Masking], options: Sequence[str]) -> dict[str, Value | list[Value]]:
    """The parameters that options give; a list is given item by item, each with the name before it."""
    values: dict[str, Value | list[Value]] = {}
    for option in options:
        key, sign, text = (part.strip() for part in option.partition("="))
        if not sign:
            raise ParameterError(f"{owner}: options must be a list, each item name=value. Got {option!r}.")
        if key in GIVEN_OUTSIDE:
            raise ParameterError(
                f"{owner}: options must not hold {key}: it is a parameter of {owner} itself."
            )
        check_names(method.name, [key], method)
        parameter = parameters(method)[key]
        value = _value(parameter, text)
        before = values.get(key)
        if isinstance(before, list):
            before.append(value)
        elif before is not None:
            raise ParameterError(f"{owner}: options must give {key} once.")
        else:
            values[key] = [value] if parameter.repeated else value
    return values


def _value(parameter: Parameter, text: str) -> Value:
    """What the text stands for; where it is nothing of the kind, the method refuses it in its own words."""
    if parameter.type is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        value: Value = parameter.type(text)
    except ValueError:
        return text
    return value
