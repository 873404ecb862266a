"""A study file: one job of the command line, said completely, so that it can be repeated anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import tomli_w

from sfumato.core import FileError
from sfumato.core.regular_files import small_text
from sfumato.core.toml_text import parsed_toml
from sfumato.version import __version__

Value = str | int | float | bool
Setting = Value | tuple[Value, ...]

KINDS = {dict: "a table", date: "a date", time: "a time", list: "a list"}
HEAD = ("sfumato", "command")


@dataclass(frozen=True, kw_only=True)
class Study:
    """A command and what it is given: its arguments and options by their names, lists where several are given.

    Paths are relative to the folder of the study file. `sfumato` is the version that wrote it. Whether a
    command has an option, and takes such a value, the command line says when it runs the study:
    `sfumato run STUDY.toml`.

    >>> study = Study(command="protect", settings={"file": "survey.csv", "key": ("age", "sex"), "seed": 3})
    >>> print(study.to_toml().replace(__version__, "1.0"), end="")
    sfumato = "1.0"
    command = "protect"
    file = "survey.csv"
    key = [
        "age",
        "sex",
    ]
    seed = 3
    >>> Study.from_toml(study.to_toml()) == study
    True
    """

    command: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    sfumato: str = __version__

    def __post_init__(self) -> None:
        checked = {key: _setting(value, key, "study") for key, value in self.settings.items()}
        object.__setattr__(self, "settings", MappingProxyType(checked))

    def to_toml(self) -> str:
        plain = {
            key: list(value) if isinstance(value, tuple) else value for key, value in self.settings.items()
        }
        return tomli_w.dumps({"sfumato": self.sfumato, "command": self.command, **plain})

    @classmethod
    def from_toml(cls, text: str, source: str = "study") -> Self:
        """The study that a text describes; `source` is named where it is wrong."""
        found = parsed_toml(text, source)
        if "command" not in found:
            raise FileError(f'{source}: command is missing; say which, such as command = "protect".')
        head = {key: _text(found[key], key, source) for key in HEAD if key in found}
        settings = {key: _setting(value, key, source) for key, value in found.items() if key not in HEAD}
        return cls(**head, settings=settings)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        return cls.from_toml(small_text(Path(path), "Study"), str(path))

    def write(self, path: str | Path) -> None:
        """Write the study file, whole or not at all."""
        from sfumato.data.files import writing

        with writing(path) as temporary:
            temporary.write_text(self.to_toml(), encoding="utf-8", newline="\n")


def _text(value: Any, key: str, source: str) -> str:
    if not isinstance(value, str) or not value:
        raise FileError(f"{source}: {key} must be a text. Got {_kind(value)}.")
    return value


def _setting(value: Any, key: str, source: str) -> Setting:
    """A value, or several; nothing deeper, since no command takes that."""
    items = tuple(value) if isinstance(value, list | tuple) else (value,)
    for item in items:
        if not isinstance(item, str | int | float | bool):
            raise FileError(
                f"{source}: {key} must be a text, a number, true, false, or a list of those. Got {_kind(item)}."
            )
    return items if isinstance(value, list | tuple) else items[0]


def _kind(value: Any) -> str:
    found = next((name for kind, name in KINDS.items() if isinstance(value, kind)), "")
    return found or (f"{value!r}" if value != "" else "an empty text")
