"""Categories put into groups, and these into larger ones: a hierarchy made by hand, and the level that is shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.core import DataError
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice, entry
from sfumato.web.ui.step_kind import Step, StepKind

MOST_ROWS = 200  # categories that can be edited one by one
MOST_LEVELS = 5
LONGEST = 6  # characters that codes may begin with
EMPTY, HIERARCHY, PAIRS = "", "hierarchy", "pairs"


class Groups(StepKind):
    """Build a hierarchy: groups of categories, and groups of these."""

    def fits(self, column: Mapping[str, Any]) -> bool:
        return bool(column["scale"] != "numeric") and 1 < len(column["categories"]) <= MOST_ROWS

    def draw_fields(self) -> None:
        html.words(
            "Write beside each category the group that it belongs to; what has none stays by itself. Groups can be "
            "grouped once more. The file shows the level that you choose.",
            kind="small faint",
        )
        with html.row():
            self._start = choice("Begin with", beginnings(self.column), value=EMPTY, on_change=self._begin)
        self._place = ui.element("div")
        self._begin(EMPTY)

    def said(self) -> Step:
        found = composed(self.column["categories"], self._read())[int(self._level.value) - 1]
        to: dict[str, list[str]] = {}
        for category, group in found.items():
            if group != category:
                to.setdefault(group, []).append(category)
        if not to:
            raise DataError("Write a group beside at least one category.")
        return {"method": "recoding", "to": to}

    def _begin(self, way: str) -> None:
        self._draw([begun(self.column, way)] if way != HIERARCHY else of_hierarchy(self.column))

    def _read(self) -> list[dict[str, str]]:
        """The group of each name, level by level; names without one are their own."""
        return [
            {name: str(field.value or "").strip() or name for name, field in level.items()}
            for level in self._fields
        ]

    def _draw(self, levels: Sequence[Mapping[str, str]]) -> None:
        """The fields of all levels; those of the names that a level below has."""
        self._place.clear()
        self._fields: list[dict[str, Field]] = []
        names = list(self.column["categories"])
        with self._place:
            for number, level in enumerate(levels, start=1):
                self._fields.append(self._draw_level(number, names, level))
                names = list(dict.fromkeys(level.get(name) or name for name in names))
            with html.row():
                if len(levels) < MOST_LEVELS:
                    html.action("Group the groups", self._add_level, kind="plain")
                if len(levels) > 1:
                    html.action("Leave the last level out", self._drop_level, kind="plain")
                words = {str(at): f"level {at}" for at in range(1, len(levels) + 1)}
                self._level = choice("The file shows", words, value=str(len(levels)))

    def _draw_level(self, number: int, names: Sequence[str], level: Mapping[str, str]) -> dict[str, Field]:
        what, found = "Category" if number == 1 else f"Group of level {number - 1}", {}
        with (
            ui.element("div").classes("scrolling list long").props("tabindex=0 role=region") as region,
            ui.element("table").classes("facts recode"),
        ):
            region.props["aria-label"] = f"Level {number} of {self.column['name']}"
            html.words(f"Level {number}", tag="caption")
            with ui.element("thead"), ui.element("tr"):
                for head in (what, "Belongs to"):
                    html.words(head, tag="th").props("scope=col")
            with ui.element("tbody"):
                for name in names:
                    with ui.element("tr"):
                        self._draw_name(number, name)
                        with ui.element("td"):
                            group = level.get(name, "")
                            found[name] = entry(
                                f"Level {number}: {name} belongs to",
                                value="" if group == name else group,
                                hint="itself",
                                bare=True,
                                width=16,
                            )
        return found

    def _draw_name(self, number: int, name: str) -> None:
        label = self.column["labels"].get(name, "") if number == 1 else ""
        with ui.element("th").props("scope=row"):
            html.words(name, tag="span")
            if label:
                html.words(label, tag="div", kind="faint small")

    def _add_level(self) -> None:
        self._draw([*self._read(), {}])

    def _drop_level(self) -> None:
        self._draw(self._read()[:-1])


def beginnings(column: Mapping[str, Any]) -> dict[str, str]:
    """What the fields can be filled with at first, in words."""
    names = column["categories"]
    found = {EMPTY: "empty fields"}
    if column["hierarchy"]:
        found[HIERARCHY] = "the hierarchy of the schema"
    if column["scale"] == "ordinal":
        found[PAIRS] = "neighbours, two by two"
    shortest = min(map(len, names))
    for length in range(1, min(shortest, LONGEST + 1)):
        if 1 < len({name[:length] for name in names}) < len(names):
            found[str(length)] = f"what codes begin with: {length} character{'s' if length > 1 else ''}"
    return found


def begun(column: Mapping[str, Any], way: str) -> dict[str, str]:
    """The group of each category in such a beginning.

    >>> codes = {"categories": ("11", "12", "21"), "scale": "nominal", "hierarchy": None}
    >>> begun(codes, "1"), begun(codes, "pairs")
    ({'11': '1*', '12': '1*', '21': '21'}, {'11': '11..12', '12': '11..12', '21': '21'})
    """
    names = list(column["categories"])
    if way == PAIRS:
        pairs = [names[at : at + 2] for at in range(0, len(names), 2)]
    elif way.isdigit():
        by_start: dict[str, list[str]] = {}
        for name in names:
            by_start.setdefault(name[: int(way)], []).append(name)
        pairs = list(by_start.values())
    else:
        return {}
    return {
        name: name
        if len(group) == 1
        else f"{group[0]}..{group[-1]}"
        if way == PAIRS
        else f"{name[: int(way)]}*"
        for group in pairs
        for name in group
    }


def of_hierarchy(column: Mapping[str, Any]) -> list[dict[str, str]]:
    """The levels of a hierarchy, each as what the names of the one below belong to."""
    rows = [row for row in column["hierarchy"] if row[0] in {*column["categories"]}]
    return [{row[at]: row[at + 1] for row in rows} for at in range(len(rows[0]) - 1)]


def composed(categories: Sequence[str], levels: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """What each category is called at each level.

    >>> composed(["a", "b", "c"], [{"a": "x", "b": "x"}, {"x": "all", "c": "all"}])
    [{'a': 'x', 'b': 'x', 'c': 'c'}, {'a': 'all', 'b': 'all', 'c': 'all'}]
    """
    found, names = [], {category: category for category in categories}
    for level in levels:
        names = {category: level.get(name, name) for category, name in names.items()}
        found.append(names)
    return found
