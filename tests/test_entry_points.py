"""Every function of Python that takes data shows in its help how it takes data frames."""

import importlib
import inspect

import pytest

import sfumato
from sfumato.core import registry
from sfumato.functions import names

WITHOUT_DATA = {"demo", "reproduce"}


@pytest.mark.parametrize("name", sorted({*names()} - WITHOUT_DATA))
def test_the_help_of_a_function_has_an_example_with_a_frame(name: str) -> None:
    job = registry.load("jobs", names()[name])
    told = inspect.getdoc(job) or ""
    assert "pandas" in told and f"sfumato.{name}(" in told
    assert told in getattr(sfumato, name).__doc__


@pytest.mark.parametrize(
    "name",
    [
        "graph_from_frames",
        "linked",
        "parted",
        "read_table",
        "study_graph",
        "write_graph",
        "write_release",
        "write_table",
    ],
)
def test_the_other_functions_have_examples_too(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(sfumato, name)) or "")


@pytest.mark.parametrize("name", ["attacks", "datasets", "masking", "measures"])
def test_packages_are_there_when_first_asked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module(f"sfumato.{name}")
    monkeypatch.delattr(sfumato, name)  # as before anybody asked
    assert getattr(sfumato, name) is package and name in dir(sfumato)
