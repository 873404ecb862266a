"""sfumato: statistical disclosure control that searches for the best balance of risk and loss.

>>> import sfumato
>>> survey = sfumato.datasets.household_survey(300, seed=1)
>>> masked = sfumato.mask(survey, {"method": "mdav", "k": 5, "attributes": ["age"]}, seed=1)
>>> masked
Table(300 records × 15 attributes)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import datasets as datasets
    from sfumato.data import Attribute, Hierarchy, Schema, Table, read_table, write_table
    from sfumato.data.files.graph_files import read_graph, write_graph
    from sfumato.data.graph import Graph
    from sfumato.studies import (
        attack,
        describe,
        evaluate,
        evaluate_graph,
        evolve,
        evolve_equation,
        evolve_pram,
        group_attributes,
        mask,
        protect,
        protect_graph,
        protect_structure,
        study_graph,
        write_release,
    )
    from sfumato.version import __version__

__all__ = [
    "Attribute",
    "Graph",
    "Hierarchy",
    "Schema",
    "Table",
    "__version__",
    "attack",
    "datasets",
    "describe",
    "evaluate",
    "evaluate_graph",
    "evolve",
    "evolve_equation",
    "evolve_pram",
    "group_attributes",
    "mask",
    "protect",
    "protect_graph",
    "protect_structure",
    "read_graph",
    "read_table",
    "study_graph",
    "write_graph",
    "write_release",
    "write_table",
]

_HOMES = {
    "sfumato.data": ("Attribute", "Hierarchy", "Schema", "Table", "read_table", "write_table"),
    "sfumato.data.files.graph_files": ("read_graph", "write_graph"),
    "sfumato.data.graph": ("Graph",),
    "sfumato.studies": (
        "attack",
        "describe",
        "evaluate",
        "evaluate_graph",
        "evolve",
        "evolve_equation",
        "evolve_pram",
        "group_attributes",
        "mask",
        "protect",
        "protect_graph",
        "protect_structure",
        "study_graph",
        "write_release",
    ),
    "sfumato.version": ("__version__",),
}


def __getattr__(name: str) -> Any:
    # imported when first asked for, so that the command line starts at once
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    if name == "datasets":
        return importlib.import_module("sfumato.datasets")
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
