"""Writes the method catalogue from the code: a page per method, and an index that lists them."""

import inspect
import textwrap
from pathlib import Path

import click

from sfumato.cli import main as cli
from sfumato.core import Parameter, parameters, registry

TITLES = {
    "masking": "Masking methods",
    "measures": "Measures",
    "attacks": "Attacks",
    "structure": "Methods for the structure of graphs",
    "reproductions": "Reproductions",
}
USES = {
    "masking": "sfumato mask FILE --method {name} -o OUT",
    "structure": "sfumato graph protect GRAPH --structure {name} -o OUT",
    "reproductions": "sfumato reproduce {name}",
}


def write_catalogue(folder: Path) -> list[Path]:
    """Write all pages anew and return them."""
    for old in folder.glob("**/*.md"):
        old.unlink()
    pages = []
    for kind, title in TITLES.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        names = registry.names(kind)
        for name in names:
            page = folder / kind / f"{name}.md"
            page.write_text(method_page(kind, name), encoding="utf-8")
            pages.append(page)
        index = folder / f"{kind}.md"
        index.write_text(index_page(kind, title, names), encoding="utf-8")
        pages.append(index)
    commands = folder / "command-line.md"
    commands.write_text(command_line_page(), encoding="utf-8")
    return [*pages, commands]


def index_page(kind: str, title: str, names: tuple[str, ...]) -> str:
    """The list of all methods of a kind."""
    rows = "\n".join(f"| [{name}]({kind}/{name}.md) | {registry.summary(kind, name)} |" for name in names)
    entries = "\n".join(f"{kind}/{name}" for name in names)
    return f"# {title}\n\n| name | what it does |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def command_line_page() -> str:
    """The help of every command, as the command line prints it."""
    context = click.Context(cli, info_name="sfumato", max_content_width=88)
    lines = ["# Command line", "", "```text", cli.get_help(context), "```"]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        help_text = command.get_help(click.Context(command, context, name, max_content_width=88))
        lines += ["", f"## sfumato {name}", "", "```text", help_text, "```"]
    return "\n".join(lines) + "\n"


def method_page(kind: str, name: str) -> str:
    """One method: its docstring, its parameters and how to call it."""
    method = registry.load(kind, name)
    text = inspect.cleandoc(method.__doc__ or "")
    prose, examples = _split_examples(text)
    lines = [f"# {name}", "", registry.summary(kind, name), "", prose, ""]
    if hasattr(method, "scales"):
        lines += ["**Takes** " + ", ".join(method.scales) + " attributes.", ""]
    lines += ["## Parameters", "", "| name | value | default | meaning |", "|---|---|---|---|"]
    lines += [_row(parameter) for parameter in parameters(method).values()]
    if examples:
        lines += ["", "## Example", "", "```python", examples, "```"]
    if kind in USES:
        lines += ["", "## Command line", "", "```", USES[kind].format(name=name), "```"]
    return "\n".join(lines) + "\n"


def _row(parameter: Parameter) -> str:
    default = "" if parameter.default in ((), None) else f"`{parameter.default}`"
    return f"| `{parameter.name}` | {parameter.rule()} | {default} | {parameter.help} |"


def _split_examples(text: str) -> tuple[str, str]:
    start = text.find(">>>")
    if start < 0:
        return text, ""
    return text[:start].rstrip(), textwrap.dedent(text[start:])
