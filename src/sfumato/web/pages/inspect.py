"""Inspect: one masked version of the file, part by part, beside the original and under attack."""

from typing import Any

from fastapi import APIRouter
from nicegui import ui

from sfumato.web.bench import Bench, NavigationEntry, Visit
from sfumato.web.runs.chosen_point import ChosenPoint, answer_routes, chosen_point
from sfumato.web.ui import html
from sfumato.web.ui.attacker_panel import draw_attackers, let_them_try
from sfumato.web.ui.inspection_charts import draw_columns, draw_correlations, draw_verdict

NAVIGATION = NavigationEntry(
    title="Inspect",
    about="What one protected version of the file lost, and what an intruder could still get from it.",
    step=4,
)
FIRST = (
    "information_loss",
    "sse",
    "dbil",
    "ctbil",
    "ebil",
    "disclosure_risk",
    "distance_linkage",
    "interval_disclosure",
    "k_anonymity",
)


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, "inspection", "before_after", "attacked", below="/points/{point}")


async def draw(visit: Visit) -> None:
    """The parts of loss and risk first; distributions and attackers as soon as they are known."""
    chosen = chosen_point(visit)
    if chosen is None:
        html.notice(
            "Nothing to inspect yet: start a search on the page Protect, and click a point of its map."
        )
        html.link("Go to Protect", visit.address("protect"), kind="action main")
        return
    with html.waiting("Masking the file and measuring it …"):
        found = await chosen.ask(visit, "inspection")
    _draw_head(visit, chosen, found)
    _draw_measures(found)
    _draw_changed(found)
    place, attacks = ui.element("div"), ui.element("div")
    with place:
        with html.waiting("Comparing distributions …"):
            pair = await chosen.ask(visit, "before_after")
        draw_columns(pair["columns"])
        draw_correlations(pair)
    with attacks:
        _offer_attacks(visit, chosen)


def _draw_head(visit: Visit, chosen: ChosenPoint, found: dict[str, Any]) -> None:
    about = f"A point of the run “{chosen.run.label}”, {found['records']:,} records."
    with html.panel(found["label"], about=about):
        if found["made_by"]:
            html.words(f"Made by {found['made_by']}.", kind="made-by")
        with html.numbers():
            html.number(
                f"{found['loss']:.1f} %",
                "information loss",
                meaning=found["loss_in_words"],
                how=_how(found, "information_loss"),
            )
            html.number(
                f"{found['risk']:.1f} %",
                "disclosure risk",
                meaning=found["risk_in_words"],
                how=_how(found, "disclosure_risk"),
            )
            html.number(
                f"{found['cells']:.1f} %",
                "of the released cells changed",
                meaning="Averaged over the columns that are released.",
            )
        html.link("Release this version", chosen.address(visit, "release"), kind="action main")


def _how(found: dict[str, Any], name: str) -> str:
    definition: list[str] = next((one["definition"] for one in found["measures"] if one["name"] == name), [])
    return definition[0] if definition else ""


def _draw_measures(found: dict[str, Any]) -> None:
    with html.side_by_side():
        for sense, title in (("loss", "What was lost"), ("risk", "What is still given away")):
            measures = [one for one in found["measures"] if one["sense"] == sense]
            first = [one for one in measures if one["name"] in FIRST]
            with html.panel(title):
                for one in first or measures:
                    _draw_measure(one)
                if first and len(first) < len(measures):
                    with html.more(f"{len(measures) - len(first)} more yardsticks"):
                        for one in measures:
                            if one not in first:
                                _draw_measure(one)


def _draw_measure(one: dict[str, Any]) -> None:
    with ui.element("div").classes("measure"):
        with ui.element("div").classes("measure-head"):
            html.words(one["title"], tag="h3")
            html.words(f"{one['value']:.2f} %", tag="span", kind="figure")
        if one["bounded"]:
            meter = ui.element("meter").props(f"min=0 max=100 value={min(max(one['value'], 0), 100):.2f}")
            meter.props["aria-label"] = f"{one['title']}: {one['value']:.2f} percent"
        html.words(one["sentence"], kind="small faint")
        with html.more("Its parts and its formula"):
            if one["parts"]:
                html.facts(
                    ("Part", "Value"),
                    [
                        (
                            part["name"].replace("_", " "),
                            f"{part['value']:.4g}{' %' if part['percent'] else ''}",
                        )
                        for part in one["parts"]
                    ],
                    caption=f"Parts of {one['title']}",
                    figures=(1,),
                )
            for paragraph in one["definition"]:
                html.words(paragraph, kind="small")


def _draw_changed(found: dict[str, Any]) -> None:
    changed = [one for one in found["changed"] if one["changed"] > 0]
    with html.panel("Changed cells", about="How many records have another value than before, by column."):
        if not changed:
            html.words("Nothing was changed.")
            return
        html.facts(
            ("Column", "Role", "Scale", "Changed"),
            [(one["name"], one["role"], one["scale"], f"{one['changed']:.1f} %") for one in changed],
            caption="Share of records whose value changed",
            figures=(3,),
        )


def _offer_attacks(visit: Visit, chosen: ChosenPoint) -> None:
    def draw_attacks(found: dict[str, Any]) -> None:
        draw_attackers(found)
        draw_verdict(found["verdict"])

    about = "Attackers, models and people outside that no search ever saw tell whether the numbers above are honest."
    with html.panel("Attack it", about=about):
        let_them_try(lambda: chosen.ask(visit, "attacked"), draw_attacks)
