"""The --structure option: which method protects who knows whom, and what is printed about it."""

import math
from typing import TYPE_CHECKING, Any

import click

from sfumato.cli.parameters import ParameterType
from sfumato.cli.printing import percent, print_table
from sfumato.core import registry
from sfumato.core.errors import ParameterError
from sfumato.core.parameters import check_names, parameters

if TYPE_CHECKING:
    from sfumato.graphs.structure import StructureMethod
    from sfumato.studies.graph_structure import StructureEvaluation

structure_option = click.option(
    "--structure",
    metavar="NAME[,PARAMETER=VALUE…]",
    help="Protect the edges too: k_degree, k_neighbourhood, super_nodes, or edge_randomisation, as in "
    "edge_randomisation,p=20. Without a k of its own, a method takes that of --k.",
)


def structure_method(text: str, k: int) -> "StructureMethod":
    """The method that a text names, with the k of the command where it has none of its own."""
    from sfumato.studies.graph_structure import structure_of_size

    return structure_of_size(structure_spec(text), k)


def structure_spec(text: str) -> dict[str, Any]:
    """The method that a text names and the parameters it gives, as a small dictionary."""
    name, *settings = (part.strip() for part in text.split(","))
    method: type[StructureMethod] = registry.load("structure", name.replace("-", "_"))
    known = parameters(method)
    given: dict[str, Any] = {"method": method.name}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise ParameterError(f"--structure: a parameter is written NAME=VALUE. Got {setting!r}.")
        key = key.replace("-", "_")
        check_names(method.name, [key], method)
        if known[key].type is bool:
            given[key] = {"true": True, "false": False}.get(value.lower(), value)
        else:
            given[key] = ParameterType(method.name, known[key]).convert(value, None, None)
    return given


def print_structure(found: "StructureEvaluation") -> None:
    """What happened to the structure, then who is found by it."""
    lines = [
        (
            line.name.replace("_", " "),
            _number(line.before.value),
            _number(line.after.value),
            _change(line.change),
        )
        for line in found.losses.lines
    ]
    lines.append(("degree distribution", "", "", percent(found.losses.degree_distance)))
    click.echo()
    print_table("Structure", ("Property", ">before", ">after", ">change in percent"), lines)
    click.echo()
    risks = [
        (f"H{was.query}", percent(was.success), percent(now.success), *map(percent, now.buckets.values()))
        for was, now in zip(found.before, found.after, strict=True)
    ]
    sizes = [f">{size} candidates" for size in found.after[0].buckets]
    headings = ("What is known", ">found before", ">found after", *sizes)
    print_table("Nodes found by the structure around them, in percent", headings, risks)


def _number(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.4g}"


def _change(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:+.2f}"
