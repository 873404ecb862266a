"""`sfumato methods`: what there is, and the parameters of one method."""

import inspect
import json
from typing import Any

import click

from sfumato.core import registry
from sfumato.core.errors import UnknownNameError
from sfumato.core.notation import written_value
from sfumato.core.parameters import Parameter, parameters
from sfumato.core.results import plain
from sfumato.search.maskings.policy_files import policy_about, policy_names

Meant = tuple[str, dict[str, Any]]
"""The name of a method, and the parameters that another name for it stands for."""

KINDS = {
    "masking": "Masking methods",
    "measures": "Measures of information loss and disclosure risk",
    "attacks": "Attacks",
    "optimizers": "Ways to search",
    "structure": "Methods for the structure of social graphs",
}
USES = {
    "masking": "Use it: sfumato mask FILE --method '{example}' -o OUT",
    "measures": "Use it: sfumato evaluate ORIGINAL MASKED --measure '{example}'",
    "attacks": "Use it: sfumato attack ORIGINAL RELEASED --attack '{example}'",
    "structure": "Use it: sfumato graph protect GRAPH --structure '{example}' -o OUT",
}


@click.command(short_help="List methods, measures and attacks, or show the parameters of one.")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str | None, as_json: bool) -> None:
    """List masking methods, measures, attacks, ways to search and methods for graphs; with NAME, which may also be
    what a source calls it, show what it does and its parameters.

    Wherever a method is named it may carry its parameters: 'mdav(k=5, missing=impute)', 'ctbil(dimension=3)'.
    """
    if name is None:
        _show_list(as_json)
    else:
        _show_one(name, as_json)


def _show_list(as_json: bool) -> None:
    found = {kind: {name: registry.summary(kind, name) for name in registry.names(kind)} for kind in KINDS}
    if as_json:
        _print_json({**found, "policies": _policies()})
        return
    formatter = click.HelpFormatter(max_width=100)
    for kind, title in KINDS.items():
        with formatter.section(title):
            formatter.write_dl(list(found[kind].items()))
    click.echo(formatter.getvalue().strip())
    others = [f"{alias} ({_meant(meant)})" for kind in KINDS for alias, meant in _aliases(kind)]
    formatter = click.HelpFormatter(max_width=100)
    with formatter.section("What sources call them"):
        formatter.write_text(", ".join(others))
    click.echo("\n" + formatter.getvalue().strip())
    formatter = click.HelpFormatter(max_width=100)
    with formatter.section("Policies of protect"):
        formatter.write_dl([*_policies().items()])
    click.echo("\n" + formatter.getvalue().strip())
    click.echo("\nMore about one: sfumato methods NAME")


def _show_one(asked: str, as_json: bool) -> None:
    if asked in policy_names():
        _show_policy(asked, as_json)
        return
    found = _found(asked)
    if as_json:
        first, *others = [_described(kind, name) for kind, (name, _) in found.items()]
        _print_json(first | {"also": others} if others else first)
        return
    texts = [_text(kind, name) for kind, (name, _) in found.items()]
    calls = [
        f"{asked} is {_meant(meant)}.\n\n" if asked.replace("-", "_") != meant[0] else ""
        for meant in found.values()
    ]
    click.echo("\n\n".join(call + text for call, text in zip(calls, texts, strict=True)))


def _policies() -> dict[str, str]:
    return {name: policy_about(name) for name in policy_names()}


def _show_policy(name: str, as_json: bool) -> None:
    from sfumato.search.maskings.policy import Policy  # which loads measures, so only where it is asked for

    policy = Policy.named(name)
    if as_json:
        _print_json(policy.to_dict())
        return
    words = "\n".join(f"  {sentence}" for sentence in policy.sentences())
    click.echo(f"{policy.name} (policy): {policy.title}\n{policy.about}\n\n{words}\n")
    click.echo(f"Use it: sfumato protect FILE --policy {policy.name} -o OUT")


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
    lines += [f"  {p.name}: {p.help}\n      {_in_words(p)}" for p in parameters(method).values()]
    if method.aliases:
        lines.append("\nSources call it " + ", ".join(method.aliases) + ".")
    if kind in USES:
        lines.append("\n" + USES[kind].format(example=_example(method)))
    return "\n".join(lines)


def _found(asked: str) -> dict[str, Meant]:
    """What a name stands for, by kind: a measure and the attack it is made of may share one."""
    found = {kind: registry.resolved(kind, asked) for kind in KINDS}
    known = {kind: meant for kind, meant in found.items() if meant[0] in registry.names(kind)}
    if not known:
        raise UnknownNameError("method", asked, [n for kind in KINDS for n in registry.names(kind)])
    return known


def _aliases(kind: str) -> list[tuple[str, Meant]]:
    return sorted(
        (alias, (name, dict(meant)))
        for name in registry.names(kind)
        for alias, meant in registry.declared_aliases(kind, name).items()
    )


def _meant(meant: Meant) -> str:
    """A method as it is written with the parameters that a name stands for."""
    name, given = meant
    return name + (f"({', '.join(f'{key}={value}' for key, value in given.items())})" if given else "")


def _example(method: type) -> str:
    """The name with the first parameter that has a default, as it may be given."""
    name = method.name  # type: ignore[attr-defined]
    plain = [p for p in parameters(method).values() if isinstance(p.default, int | float | str) and p.default]
    return f"{name}({plain[0].name}={written_value(plain[0].default)})" if plain else name


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


def _in_words(parameter: Parameter) -> str:
    """What a value must be and what it is by default."""
    default = plain(parameter.default)
    if default in (None, [], "") or not isinstance(default, bool | str | int | float | list):
        return parameter.rule()
    shown = ", ".join(map(str, default)) if isinstance(default, list) else str(default)
    return f"{parameter.rule()}; default {shown.lower() if isinstance(default, bool) else shown}"


def _print_json(value: Any) -> None:
    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))
