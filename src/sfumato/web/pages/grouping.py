"""Grouping: which numeric columns are microaggregated together."""

from typing import Any

from fastapi import APIRouter
from nicegui import ui

from sfumato.core import DataError
from sfumato.jobs import Job, command_name
from sfumato.web.bench import Bench, Columns, NavigationEntry, Visit
from sfumato.web.runs.chosen_point import answer_routes
from sfumato.web.ui import html
from sfumato.web.ui.fields import TickList
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.run_list import RunList, RunView
from sfumato.web.ui.search_charts import compromise_chart, score_chart


def _fits(columns: Columns) -> bool:
    """Whether there are numeric columns to group."""
    return len([column for column in columns if column["scale"] == "numeric"]) > 1


NAVIGATION = NavigationEntry(
    title="Grouping",
    about="Microaggregation replaces the numbers of similar records by their means, and loses least if columns that "
    "belong together are treated together. Here a search finds which columns to put into one group.",
    fits=_fits,
)
JOB = "group_attributes"
SEARCHES = {
    "": "try all groupings of up to 8 columns, search if there are more",
    "exact": "try all groupings",
    "genetic": "search",
}
SCORE = "score = (information loss + disclosure risk) / 2, in percent; lower is better"
SMALL = (2000, 5)  # records and columns up to which other processes take longer to start than they save
NOT_MEASURED = ("identifier", "weight", "household", "stratum")


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, "grouping")


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        found, job = await visit.ask("columns"), await visit.job(JOB)
    columns = found["columns"]
    numeric = [c for c in columns if c["scale"] == "numeric" and c["role"] not in NOT_MEASURED]
    if len(numeric) < 2:
        html.notice("A grouping needs at least two numeric columns: see the page Data, where scales are set.")
        return

    form = ui.element("div")
    runs = RunView(visit, {command_name(JOB): ("grouping", _draw_found)}).runs
    with form:
        _draw_form(visit, numeric, job, runs, is_small=found["records"] <= SMALL[0])
    await runs.begin()


def _draw_form(
    visit: Visit, numeric: list[dict[str, Any]], grouping: type[Job], runs: RunList, *, is_small: bool
) -> None:
    keys = [c["name"] for c in numeric if c["role"] == "key"] or [c["name"] for c in numeric]
    form = JobForm(grouping)
    with html.panel("Look for the best groups"):
        names = TickList("Columns to group", [c["name"] for c in numeric], ticked=keys)
        with html.row():
            k = form.ask("k", "Smallest group of records, k")
            form.ask("search", "How to look", words=SEARCHES)
        form.ask_more(beside=("attributes",))

        async def start() -> None:
            if len(names.value) < 2:
                raise DataError("Tick at least two columns: one alone has nothing to be grouped with.")
            job = form.made(visit.project, {"key": names.value, "output": "grouped.csv"})
            label = f"{len(names.value)} columns, k = {k.value}"
            workers = 1 if is_small and len(names.value) <= SMALL[1] else None
            await runs.start(job, label=label, workers=workers)

        html.told_action("Find the best grouping", start)


def _draw_found(found: dict[str, Any]) -> None:
    _draw_groups(found)
    with html.side_by_side():
        with html.panel("Compromises", about="Groupings that no other one beats in both loss and risk."):
            _draw_front(found)
        with html.panel("The search", about=_course(found)):
            score_chart(found["history"])
            _draw_operators(found)


def _draw_groups(found: dict[str, Any]) -> None:
    best, count = found["best"], len(found["best"]["groups"])
    known = {"this grouping": best, **found["yardsticks"]}
    with html.panel(f"The best grouping has {count} {'group' if count == 1 else 'groups'}"):
        with ui.element("div").classes("groups"):
            for number, group in enumerate(best["groups"]):
                with ui.element("div").classes(f"group colour-{number % 8}"):
                    html.heading(f"Group {number + 1}", level=3)
                    with ui.element("ul"):
                        for name in group:
                            html.words(name, tag="li")
        html.facts(
            ("", "Score", "Information loss", "Disclosure risk", "Groups"),
            [
                (name, *(f"{one[what]:.2f} %" for what in ("score", "loss", "risk")), str(len(one["groups"])))
                for name, one in known.items()
            ],
            caption=f"This grouping beside the two that are always tried, for k = {found['k']}; lower is better",
            figures=range(1, 5),
        )
        html.formula(
            SCORE,
            explained=(
                f"Half of the risk is interval disclosure ({found['interval']:.2f} %), half distance-based record "
                f"linkage ({found['linkage']:.2f} %).",
                "Each group is microaggregated by itself (MDAV), so that records are alike within a group of columns, "
                "and not in all columns at once, unless there is one group.",
            ),
        )


def _draw_front(found: dict[str, Any]) -> None:
    def named(place: dict[str, Any]) -> dict[str, Any]:
        return {**place, "label": " | ".join(", ".join(group) for group in place["groups"])}

    compromise_chart(
        {
            "not beaten": [named(place) for place in found["front"]],
            "best score": [named(found["best"])],
            **{name: [named(place)] for name, place in found["yardsticks"].items()},
        },
        title="Information loss and disclosure risk of groupings",
    )


def _course(found: dict[str, Any]) -> str:
    how = "All groupings were tried: none is better" if found["exact"] else f"It ended since {found['ended']}"
    return f"{found['evaluations']:,} groupings judged in {found['seconds']:.1f} s. {how}."


def _draw_operators(found: dict[str, Any]) -> None:
    if not found["operators"] or found["exact"]:
        return
    with html.more("What the operators did"):
        html.facts(
            ("Operator", "Children", "Kept", "Fall of the score"),
            [
                (name, f"{one['tried']:,}", f"{one['kept']:,}", f"{one['gain']:.2f}")
                for name, one in found["operators"].items()
            ],
            caption=f"{found['cached']:.0f} % of the groupings had been judged before",
            figures=(1, 2, 3),
        )
