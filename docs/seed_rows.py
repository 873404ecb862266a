"""The rows of the sources: what each describes, where that is here, and by which command, as data that can be checked."""

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import notation, registry

SEEDS = Path(__file__).parent / "seeds"
STATUSES = {
    "works": "can be had, and was compared",
    "background": "the source reviews or names it, and does not use it",
    "lost in the copy": "the text at hand does not hold what would be needed",
    "not reproducible": "cannot be had again, and it is said why",
    "left out": "is not here on purpose, and it is said why",
}
LINKED = ("masking", "measures", "attacks", "structure", "reproductions")  # that have a page in the catalogue
MASK, EVALUATE, ATTACK = (
    "mask {0}.csv --schema {0}.toml --method",
    "evaluate {0}.csv {0}-masked.csv --schema {0}.toml --measure",
    "attack {0}.csv {0}-masked.csv --schema {0}.toml --attack",
)


@dataclass(frozen=True)
class Place:
    """Where something is: a method of a kind with parameters, or a file, and perhaps a name in it."""

    text: str

    @property
    def kind(self) -> str:
        """The kind of a method; nothing where it is a file.

        >>> Place("masking:pram(theta)").kind, Place("kernels/mdav.py::mdav_groups").kind
        ('masking', '')
        """
        before, colon, _ = self.text.partition(":")
        return before if colon and before in registry.KINDS else ""

    @property
    def method(self) -> str:
        return self.text.partition(":")[2]

    @property
    def name(self) -> str:
        return self.method.partition("(")[0]

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters and their values; no value where one is only named.

        >>> Place("masking:pram(matrix=diagonal, theta)").parameters
        {'matrix': 'diagonal', 'theta': ''}
        """
        inner = self.method.partition("(")[2].removesuffix(")")
        pairs = (one.partition("=") for one in notation.pieces(inner) if one)
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def made(self) -> str:
        """The method with those parameters that have a value, as the command line takes it."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items() if value)
        return f"{self.name}({given})" if given else self.name

    @property
    def command(self) -> str:
        """How it is used from the command line; nothing where that is not told by its kind."""
        if self.kind in ("masking", "measures", "attacks"):
            return self._on_a_file()
        if self.kind == "structure":
            return f"graph protect people.graphml -o protected.graphml --structure {shlex.quote(self.made)}"
        if self.kind == "reproductions":
            given = {name.replace("_", "-"): value for name, value in self.parameters.items() if value}
            options = [
                f"--{name}" if value == "true" else f"--{name} {value}" for name, value in given.items()
            ]
            return " ".join(["reproduce", self.name.replace("_", "-"), *options])
        return ""

    def _on_a_file(self) -> str:
        scales = getattr(registry.load(self.kind, self.name), "scales", ("numeric",))
        start = {"masking": MASK, "measures": EVALUATE, "attacks": ATTACK}[self.kind]
        words = f"{start.format('firms' if 'numeric' in scales else 'people')} {shlex.quote(self.made)}"
        return f"{words} -o masked.csv" if self.kind == "masking" else words


@dataclass(frozen=True)
class Row:
    """One thing that a source describes."""

    id: str
    means: str
    places: tuple[Place, ...]
    commands: tuple[str, ...]
    status: str
    note: str

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Row":
        """A row as the file has it: `run` holds commands in place of those that follow from `at`."""
        places = tuple(Place(one.strip()) for one in told.get("at", "").split(";") if one.strip())
        commands = told.get("run", [place.command for place in places])
        commands = [commands] if isinstance(commands, str) else commands
        return cls(
            id=told["id"],
            means=told["is"],
            places=places,
            commands=tuple(dict.fromkeys(filter(None, commands))),
            status=told.get("status", "works"),
            note=told.get("note", ""),
        )


@dataclass(frozen=True)
class Section:
    """A chapter or a part of it."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Page:
    """A source: what is said of it, and its rows."""

    name: str
    title: str
    source: str
    prose: dict[str, str]
    sections: tuple[Section, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section.rows)

    @property
    def commands(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(command for row in self.rows for command in row.commands))


def read_page(path: Path) -> Page:
    """The page of a file of rows."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    sections = [Section(one["title"], tuple(map(Row.of, one["rows"]))) for one in told["section"]]
    return Page(path.stem, told["title"], told["source"], told["prose"], tuple(sections))


def read_pages() -> list[Page]:
    """All sources, by name."""
    return [read_page(path) for path in sorted(SEEDS.glob("*.toml"))]
