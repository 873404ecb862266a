"""sfumato: statistical disclosure control that searches for what loses least and gives away no more than a guess.

Every job is a function that takes a path, any data frame or a `Table`:

>>> import sfumato
>>> survey = sfumato.datasets.household_survey(300, seed=1)
>>> masked = sfumato.mask(survey, {"method": "mdav", "k": 5, "attributes": ["age"]}, seed=1)
>>> masked
Table(300 records × 15 attributes)
>>> sfumato.masking.Mdav(k=5).apply(survey.to_arrow().to_pandas()).shape
(300, 15)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import attacks as attacks
    from sfumato import datasets as datasets
    from sfumato import masking as masking
    from sfumato import measures as measures
    from sfumato.data import Attribute as Attribute
    from sfumato.data import Hierarchy as Hierarchy
    from sfumato.data import Schema as Schema
    from sfumato.data import Table as Table
    from sfumato.data import linked as linked
    from sfumato.data import parted as parted
    from sfumato.data import read_table as read_table
    from sfumato.data import write_table as write_table
    from sfumato.data.files.graph_files import read_graph as read_graph
    from sfumato.data.files.graph_files import write_graph as write_graph
    from sfumato.data.graph import Graph as Graph
    from sfumato.data.graph_frames import graph_from_frames as graph_from_frames
    from sfumato.functions import write_release as write_release
    from sfumato.version import __version__ as __version__

_HOMES = {
    "sfumato.data": (
        "Attribute",
        "Hierarchy",
        "Schema",
        "Table",
        "linked",
        "parted",
        "read_table",
        "write_table",
    ),
    "sfumato.data.files.graph_files": ("read_graph", "write_graph"),
    "sfumato.data.graph": ("Graph",),
    "sfumato.data.graph_frames": ("graph_from_frames",),
    "sfumato.functions": ("write_release",),
    "sfumato.jobs.graph.evaluate": ("evaluate_structure",),
    "sfumato.jobs.graph.protect": ("protect_structure",),
    "sfumato.jobs.graph.report": ("study_graph",),
    "sfumato.version": ("__version__",),
}

_PACKAGES = ("attacks", "datasets", "masking", "measures")


def __getattr__(name: str) -> Any:
    # imported when first asked for, so that the command line starts at once
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    if name in _PACKAGES:
        return importlib.import_module(f"sfumato.{name}")
    functions = importlib.import_module("sfumato.functions")
    if not name.startswith("_") and name in functions.names():
        return functions.function(name)
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    from sfumato.functions import names

    return sorted([*_PACKAGES, *names(), *(name for home in _HOMES.values() for name in home)])
