"""Risk today: what the key attributes give away if the file were released as it is."""

from typing import Any

from nicegui import ui
from nicegui.element import Element

from sfumato.core import Cancelled
from sfumato.web.bench import NavigationEntry, Visit
from sfumato.web.ui import html
from sfumato.web.ui.attacker_panel import offer_attackers
from sfumato.web.ui.charts import GRID, amount_axis, chart, name_axis
from sfumato.web.ui.fields import TickList

NAVIGATION = NavigationEntry(
    title="Risk",
    about="What an intruder would find if the file were released as it is.",
    step=2,
)
ALONE = "uniques = 100 · (records whose combination of key values occurs once) / n"
FEW = "share = 100 · (records whose combination of key values occurs fewer than 5 times) / n"
SMALLEST = "k = the least number of records that share a combination of key values"
COLOURS = ("var(--risk)", "var(--risk-2)", "var(--risk-3)", "var(--bar)", "var(--bar)")


async def draw(visit: Visit) -> None:
    with html.waiting(f"Counting the records of {visit.project.name} that are alike …"):
        found = await visit.ask("risk")
    chosen = list(found["keys"])
    keys, place, attackers = ui.element("div"), ui.element("div"), ui.element("div")
    about = "The keys of the schema; tick others to see what they add."

    async def look_again(known: tuple[str, ...]) -> None:
        chosen[:] = known
        try:
            with place, html.waiting("Counting again …"):
                found = await visit.ask("risk", {"keys": list(known)})
        except Cancelled:  # others were ticked meanwhile
            return
        if found["keys"] == chosen:  # the last one asked for is the one shown
            _draw_profile(found, place)
            offer_attackers(visit, chosen, attackers)

    label, columns = "Columns known to the intruder", found["columns"]
    with keys, html.panel("What the intruder knows", about=about):
        TickList(label, columns, ticked=chosen, on_change=look_again, bare=True)
    _draw_profile(found, place)
    offer_attackers(visit, chosen, attackers)


def _draw_profile(found: dict[str, Any], place: Element) -> None:
    place.clear()
    with place:
        if not found["profile"]:
            html.notice("No key is chosen: nothing that an intruder may know is declared.")
            _draw_beyond(found)
            return
        _draw_numbers(found)
        _draw_beyond(found)
        with html.side_by_side():
            with html.panel("How many are alike", about="Records by how many share their key values."):
                _draw_sizes(found)
            with html.panel(
                "Riskiest combinations", about="Keys, pairs and triples that single out most people."
            ):
                _draw_combinations(found)


def _draw_numbers(found: dict[str, Any]) -> None:
    with html.numbers():
        html.number(
            f"{found['uniques']:.1f} %",
            "of the records stand alone",
            meaning="Nobody else in the file has the same key values: who knows them finds the record.",
            how=ALONE,
            kind="risky" if found["uniques"] > 0 else "good",
        )
        html.number(
            f"{found['below_5']:.1f} %",
            "have fewer than 4 others alike",
            meaning="They are in groups of fewer than five, which many offices do not release.",
            how=FEW,
            kind="risky" if found["below_5"] > 0 else "good",
        )
        html.number(
            f"{found['smallest']:,}",
            "is the size of the smallest group",
            meaning="The file is k-anonymous for this k: every combination is shared by at least so many.",
            how=SMALLEST,
            kind="risky" if found["smallest"] < 3 else "good",
        )
        html.number(
            f"{found['classes']:,}",
            "different combinations occur",
            meaning=f"Among {found['records']:,} records; the more there are, the fewer share one.",
        )


def _draw_beyond(found: dict[str, Any]) -> None:
    """What who knows more finds, so that few keys do not reassure falsely."""
    ticked = found if found["profile"] else None
    known = {
        "What is ticked above": ticked,
        "All that others may know": found["known_by_others"],
        "All columns but those that name people": found["everything"],
    }
    rows = [(who, str(len(one["attributes"])), *_alike(one)) for who, one in known.items() if one]
    about = (
        "Keys are what somebody decided; an intruder may know more. What is confidential others do not know."
    )
    if rows:
        with html.panel("If the intruder knows more", about=about):
            heads = ("Known to the intruder", "Columns", "Alone", "Fewer than 3", "Fewer than 5", "Smallest")
            html.facts(
                heads,
                rows,
                caption="Percent of records alone or nearly so, by what is known",
                figures=range(1, 6),
            )


def _alike(one: dict[str, Any]) -> tuple[str, ...]:
    """How many records have few others alike, in the words of a table."""
    shares = (f"{one[part]:.1f} %" for part in ("uniques", "below_3", "below_5"))
    return (*shares, f"{one['smallest']:,}")


def _draw_sizes(found: dict[str, Any]) -> None:
    bars = [
        {"value": round(size["share"], 2), "itemStyle": {"color": colour}}
        for size, colour in zip(found["profile"], COLOURS, strict=True)
    ]
    labels = {"show": True, "position": "top", "formatter": "{c} %", "color": "var(--ink)"}
    chart(
        {
            "grid": {**GRID, "bottom": 34},
            "xAxis": name_axis(
                [size["size"] for size in found["profile"]], "records with the same key values"
            ),
            "yAxis": amount_axis(),
            "series": [{"type": "bar", "data": bars, "barCategoryGap": "22%", "label": labels}],
        },
        title="Share of records by the size of their group",
        headings=("Size of the group", "Share of records", "Records", "Groups"),
        rows=[
            (size["size"], f"{size['share']:.2f} %", f"{size['records']:,}", f"{size['classes']:,}")
            for size in found["profile"]
        ],
    )


def _draw_combinations(found: dict[str, Any]) -> None:
    if not found["riskiest"]:
        html.words("No key, pair or triple of keys puts a record into a group of fewer than five.")
        return
    html.facts(
        ("Known together", "Alone", "Fewer than 3", "Fewer than 5", "Smallest"),
        [(", ".join(one["attributes"]), *_alike(one)) for one in found["riskiest"]],
        caption="Percent of records with few or no others alike",
        figures=(1, 2, 3, 4),
    )
    if found["left_out"]:
        html.words(f"Combinations with {', '.join(found['left_out'])} were not counted.", kind="small faint")
