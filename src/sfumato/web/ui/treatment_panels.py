"""What becomes of the columns of a file on a page: those that are left out, which may be let go, and all the others."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.fields import Tick, tick

LEFT_OUT = "left out"
NAMED = 5  # columns that a sentence names


class LeftOutColumns:
    """The columns that would not be released, each with the reason and a box to let it go."""

    def __init__(self, treatments: Mapping[str, Any], *, kept: tuple[str, ...] = ()) -> None:
        columns = [one for one in treatments.get("columns", ()) if one["treatment"] == LEFT_OUT]
        self._kept, self._ticks = kept, {one["name"]: one["because"] for one in columns}
        self._boxes: dict[str, Tick] = {}

    @property
    def keep(self) -> list[str]:
        """The columns to release as they are: those that were kept before, and those that are ticked."""
        ticked = [name for name, box in self._boxes.items() if box.value]
        return [*self._kept, *(name for name in ticked if name not in self._kept)]

    def draw(self) -> None:
        if not self._ticks:
            return
        html.heading("Columns that are left out", level=3)
        html.words(
            "Nobody has said that they may go out. Tick one to release it as it is.", kind="small faint"
        )
        with ui.element("ul").classes("list files"):
            for name, because in self._ticks.items():
                with ui.element("li"):
                    self._boxes[name] = tick(f"Release {name} as it is")
                    html.words(because, tag="span", kind="faint")


def draw_treatments(treatments: dict[str, Any], *, records: int | None) -> None:
    """What became of each column, and who stands alone with a value that was released as it is."""
    if treatments.get("proposed"):
        html.notice(
            "The roles of the columns were proposed when this was made, and nobody had confirmed them."
        )
    if singled := treatments.get("singling"):
        html.notice(singling_in_words(singled, records=records))
    if columns := treatments.get("columns"):
        with html.more("What became of each column"):
            html.facts(
                ("Column", "What became of it", "Because"),
                [(one["name"], one["treatment"], one["because"]) for one in columns],
                caption="Columns of the file and of the release",
            )


def singling_in_words(singled: dict[str, int], *, records: int | None) -> str:
    """Which columns single people out though nobody masked them.

    >>> singling_in_words({"income": 5998}, records=6000)
    'Released as they are, with a value that no other record has: income for 5,998 of 6,000 records. Whoever knows such a value finds the record.'
    """
    of = "" if records is None else f" of {records:,}"
    most = sorted(singled.items(), key=lambda one: -one[1])
    named = [f"{name} for {count:,}{of} records" for name, count in most[:NAMED]]
    others = len(most) - NAMED
    more = f" and {others} more column{'s' * (others > 1)}" if others > 0 else ""
    return (
        f"Released as they are, with a value that no other record has: {', '.join(named)}{more}. "
        "Whoever knows such a value finds the record."
    )
