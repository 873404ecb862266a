"""`sfumato methods`: what there is, and the parameters of one method."""

import inspect
from typing import Any

import click

from sfumato.cli.options import json_option
from sfumato.cli.parameters import in_words
from sfumato.cli.printing import print_json
from sfumato.core import registry
from sfumato.core.errors import UnknownNameError
from sfumato.core.parameters import Parameter, parameters
from sfumato.core.results import plain

KINDS = {
    "masking": "Masking methods",
    "measures": "Measures of information loss and disclosure risk",
    "attacks": "Attacks",
    "structure": "Methods for the structure of social graphs",
}
USES = {
    "masking": "Use it: sfumato mask FILE --method {name} -o OUT",
    "attacks": "Use it: sfumato attack ORIGINAL RELEASED --attack {name}",
    "structure": "Use it: sfumato graph protect GRAPH --structure {name} -o OUT",
}


@click.command(short_help="List methods, measures and attacks, or show the parameters of one.")
@click.argument("name", required=False, metavar="[NAME]")
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List masking methods, measures, attacks and methods for graphs; with NAME, show what it does and its parameters."""
    if name is None:
        _show_list(as_json)
    else:
        _show_one(name.replace("-", "_"), as_json)


def _show_list(as_json: bool) -> None:
    found = {kind: {name: registry.summary(kind, name) for name in registry.names(kind)} for kind in KINDS}
    if as_json:
        print_json(found)
        return
    formatter = click.HelpFormatter(max_width=100)
    for kind, title in KINDS.items():
        with formatter.section(title):
            formatter.write_dl(list(found[kind].items()))
    click.echo(formatter.getvalue().strip())
    click.echo("\nMore about one: sfumato methods NAME")


def _show_one(name: str, as_json: bool) -> None:
    first, *others = _kinds_of(name)
    if as_json:
        described = _described(first, name)
        print_json(described | {"also": [_described(kind, name) for kind in others]} if others else described)
        return
    click.echo("\n\n".join(_text(kind, name) for kind in (first, *others)))


def _described(kind: str, name: str) -> dict[str, Any]:
    method = registry.load(kind, name)
    return {
        "name": name,
        "kind": registry.KINDS[kind],
        "summary": method.summary(),
        "description": inspect.getdoc(method),
        "parameters": {key: _as_dict(parameter) for key, parameter in parameters(method).items()},
    }


def _text(kind: str, name: str) -> str:
    method = registry.load(kind, name)
    lines = [f"{name} ({registry.KINDS[kind]})", method.summary(), "", _prose(method), "", "Parameters:"]
    lines += [f"  {p.name}: {p.help}\n      {in_words(p)}" for p in parameters(method).values()]
    if kind in USES:
        lines.append("\n" + USES[kind].format(name=name))
    return "\n".join(lines)


def _kinds_of(name: str) -> list[str]:
    """A measure and the attack it is made of may share a name."""
    kinds = [kind for kind in KINDS if name in registry.names(kind)]
    if not kinds:
        raise UnknownNameError("method", name, [n for kind in KINDS for n in registry.names(kind)])
    return kinds


def _prose(method: type) -> str:
    """The docstring without its examples, which are Python."""
    return (inspect.getdoc(method) or "").partition("\n\n>>>")[0].strip()


def _as_dict(parameter: Parameter) -> dict[str, Any]:
    default = parameter.default if isinstance(parameter.default, str | int | float | tuple) else None
    return {
        "type": parameter.type.__name__,
        "repeated": parameter.repeated,
        "optional": parameter.optional,
        "default": plain(default),
        "low": parameter.low,
        "high": parameter.high,
        "choices": list(parameter.choices),
        "help": parameter.help,
        "rule": parameter.rule(),
    }
