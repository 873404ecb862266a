"""The settings of masking methods that are worth trying on some attributes of a table."""

from collections.abc import Sequence

from sfumato.core import registry
from sfumato.data import SCALES, Table
from sfumato.masking import Masking


def part_options(table: Table, names: tuple[str, ...], methods: Sequence[str]) -> list[Masking]:
    """All settings of the methods that can take at least one of these attributes, which are of one kind."""
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        if method.takes_all:
            continue
        takes = tuple(name for name in names if table.schema[name].scale in method.scales)
        if takes:
            numeric = table.schema[takes[0]].is_numeric
            settings = method.settings(numeric=numeric)
            options += [method.from_parameters({**setting, "attributes": takes}) for setting in settings]
    return options


def whole_options(table: Table, names: tuple[str, ...], methods: Sequence[str]) -> list[Masking]:
    """All settings of the methods that take every scale, on numeric and categorical attributes at once."""
    options: list[Masking] = []
    for method_name in methods:
        method: type[Masking] = registry.load("masking", method_name)
        if set(SCALES) <= set(method.scales) and not method.takes_all:
            settings = method.settings(numeric=True)
            options += [method.from_parameters({**setting, "attributes": names}) for setting in settings]
    return options


def record_options(table: Table, methods: Sequence[str]) -> list[Masking]:
    """All settings of the methods that mask whole records, on every column they take, whatever its role."""
    known: list[type[Masking]] = [registry.load("masking", name) for name in methods]
    return [
        method.from_parameters({**setting, "attributes": method().targets(table)})
        for method in known
        if method.takes_all
        for setting in method.settings(numeric=True)
    ]
