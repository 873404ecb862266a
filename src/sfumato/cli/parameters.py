"""From the parameters of a method to options of the command line."""

from collections.abc import Sequence
from typing import Any, ClassVar

import click

from sfumato.cli.options import NameList
from sfumato.core import registry
from sfumato.core.method import Method
from sfumato.core.parameters import Parameter, parameters
from sfumato.core.results import plain

KEY = "sfumato.method"
PREFIX = "parameter_"


class MethodCommand(click.Command):
    """A command whose further options are the parameters of the method that --method names."""

    kind: ClassVar[str] = "masking"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the method first, since it decides which options there are."""
        name = self.named(args)
        if name is not None:
            ctx.meta[KEY] = registry.load(self.kind, name.replace("-", "_"))
        return super().parse_args(ctx, args)

    def named(self, args: Sequence[str]) -> str | None:
        """The method that the words of the command name, if any."""
        return named_method(args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options of the command, then those of the method."""
        method = ctx.meta.get(KEY)
        return [*super().get_params(ctx), *(method_options(method) if method else [])]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """In the help, the parameters of the method come first, under a title of their own."""
        method = ctx.meta.get(KEY)
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        described = [(str(option.name).startswith(PREFIX), option.get_help_record(ctx)) for option in options]
        shown = [(own, record) for own, record in described if record]
        if method:
            with formatter.section(f"Parameters of {method.name}"):
                formatter.write_dl([record for own, record in shown if own])
        with formatter.section("Options"):
            formatter.write_dl([record for own, record in shown if not own])


class ParameterType(click.ParamType):  # type: ignore[type-arg]
    """Reads the text of one value; the parameter itself says what is wrong with it."""

    def __init__(self, owner: str, parameter: Parameter) -> None:
        self.owner, self.parameter, self.name = owner, parameter, parameter.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value or values, checked."""
        if not isinstance(value, str):
            return value
        if self.parameter.repeated:
            texts = NameList().convert(value, param, ctx)
            return self.parameter.checked(self.owner, [self._item(text) for text in texts])
        return self.parameter.checked(self.owner, self._item(value))

    def _item(self, text: str) -> Any:
        try:
            return self.parameter.type(text)
        except ValueError:
            return text  # the check that follows refuses it in the same words as Python's caller gets


def named_method(args: Sequence[str]) -> str | None:
    """The value of --method among the words of a command.

    >>> named_method(["in.csv", "--method", "mdav", "-o", "out.csv"]), named_method(["-m", "pram"])
    ('mdav', 'pram')
    """
    found = None
    for word, following in zip(args, [*args[1:], ""], strict=False):
        if word == "--":
            break
        if word in ("--method", "-m"):
            found = following or None
        elif word.startswith("--method="):
            found = word.removeprefix("--method=")
    return found


def method_options(method: type[Method]) -> list[click.Option]:
    """One option per parameter."""
    return [_option(method.name, parameter) for parameter in parameters(method).values()]


def given_parameters(method: type[Method], values: dict[str, Any]) -> dict[str, Any]:
    """The parameters that the user gave, by name."""
    given = {}
    for name, parameter in parameters(method).items():
        value = values[_keyword(name)]
        if parameter.repeated and value:
            given[name] = tuple(item for items in value for item in items)
        elif not parameter.repeated and value is not None:
            given[name] = value
    return given


def in_words(parameter: Parameter) -> str:
    """What a value must be and what it is by default."""
    default = plain(parameter.default)
    if default in (None, [], "") or not isinstance(default, bool | str | int | float | list):
        return parameter.rule()
    shown = ", ".join(map(str, default)) if isinstance(default, list) else str(default)
    return f"{parameter.rule()}; default {shown.lower() if isinstance(default, bool) else shown}"


def _option(owner: str, parameter: Parameter) -> click.Option:
    flag = "--" + parameter.name.replace("_", "-")
    names = parameter.repeated and parameter.type is str and not parameter.choices
    words = parameter.help[:1].upper() + parameter.help[1:]
    words += "." if names else f": {in_words(parameter)}."
    keyword = _keyword(parameter.name)
    if parameter.type is bool and not parameter.repeated:
        return click.Option([f"{flag}/--no-{flag[2:]}", keyword], default=None, help=words)
    metavar = {int: "INTEGER", float: "NUMBER", str: "TEXT", bool: "BOOLEAN"}[parameter.type]
    if parameter.name == "attributes":
        metavar = "NAME"
    return click.Option(
        [flag, keyword],
        type=ParameterType(owner, parameter),
        multiple=parameter.repeated,
        metavar=metavar + ",…" * parameter.repeated,
        default=None,
        help=words,
    )


def _keyword(name: str) -> str:
    return PREFIX + name
