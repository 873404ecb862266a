"""PRAM: matrices that exchange categories by chance, found by a search."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from nicegui import ui

from sfumato.core import DataError
from sfumato.jobs import Job, command_name
from sfumato.web.bench import Bench, Columns, NavigationEntry, Visit
from sfumato.web.runs.chosen_point import answer_routes
from sfumato.web.ui import html
from sfumato.web.ui.charts import LABEL, chart, colour_scale, percent_bars, whole_names
from sfumato.web.ui.fields import TickList, choice
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.run_list import RunList, RunView
from sfumato.web.ui.search_charts import score_chart


def _fits(columns: Columns) -> bool:
    """Whether a column has categories that may change."""
    return any(column["scale"] != "numeric" for column in columns)


NAVIGATION = NavigationEntry(
    title="PRAM",
    about="PRAM (the post-randomisation method) exchanges categories by chance, as a matrix of probabilities says. Here "
    "a search finds matrices that protect well and lose little, and shows what whoever knows them still guesses.",
    fits=_fits,
)
MATRICES, EQUATION = JOBS = ("evolve_pram", "evolve_equation")
ASKED = ("attributes", "score", "generations")
WHAT = {MATRICES: "a matrix for each column", EQUATION: "one equation that makes all matrices"}
SCORES = {"mean": "the mean of loss and risk", "max": "the larger of loss and risk"}
GUESSED = (
    "guessed = Σ over released categories of max over original ones of P(original | released) · P(released)"
)
WRITTEN_UP_TO = 8  # categories, for which the numbers fit into the cells
LABELLED_UP_TO = 30
DRAWN_UP_TO = 60
COLOURS = ("rgba(86, 180, 233, 0.04)", "rgba(86, 180, 233, 1)")  # from nothing to all, on paper light or dark
ON_COLOUR = "#14171b"
NOT_CHANGED = ("identifier", "weight", "household", "stratum")


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, "pram")


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        columns = (await visit.ask("columns"))["columns"]
        jobs = {name: await visit.job(name) for name in JOBS}
    named = [c for c in columns if c["scale"] != "numeric" and c["role"] not in NOT_CHANGED]
    if not named:
        html.notice("PRAM needs a column of categories: see the page Data, where scales are set.")
        return

    form = ui.element("div")
    runs = RunView(visit, {command_name(name): ("pram", _draw_found) for name in JOBS}).runs
    with form:
        _draw_form(visit, named, jobs, runs)
    await runs.begin()


def _draw_form(visit: Visit, named: list[dict[str, Any]], jobs: dict[str, type[Job]], runs: RunList) -> None:
    keys = [c["name"] for c in named if c["role"] == "key"] or [c["name"] for c in named]
    main, forms = JobForm(jobs[MATRICES]), {name: JobForm(job) for name, job in jobs.items()}

    def show_options(wanted: str) -> None:
        for name, place in places.items():
            place.set_visibility(name == wanted)

    with html.panel("Look for good matrices"):
        names = TickList("Columns whose categories may change", [c["name"] for c in named], ticked=keys)
        with html.row():
            what = choice("Look for", WHAT, value=MATRICES, on_change=show_options)
            score = main.ask("score", "Lower", words=SCORES)
            generations = main.ask("generations", "Generations", value=300)
        places = {name: form.ask_more(beside=ASKED) for name, form in forms.items()}
        show_options(MATRICES)

        async def start() -> None:
            if not names.value:
                raise DataError("Tick at least one column whose categories may change.")
            settings = {
                "attributes": names.value,
                "score": score.value,
                "generations": generations.value,
                "output": "matrices.json",
                "record": "matrices.record.json",
            }
            job = forms[what.value].made(visit.project, settings)
            label = f"{'equation' if what.value == EQUATION else 'matrices'} for {', '.join(names.value)}"
            await runs.start(job, label=label)

        html.told_action("Find matrices", start)


def _draw_found(found: dict[str, Any]) -> None:
    _draw_guesses(found)
    for attribute in found["attributes"]:
        _draw_attribute(attribute)
    with html.side_by_side():
        with html.panel("What it is worth", about="Mean of files drawn afresh, which no search has seen."):
            _draw_scores(found)
        with html.panel("The search", about=_course(found)):
            score_chart(found["history"])


def _draw_guesses(found: dict[str, Any]) -> None:
    if found["formula"]:
        with html.panel("The equation", about="The share of category i that becomes j is in proportion to"):
            html.words(found["formula"], tag="div", kind="formula")
            html.words("Cells below 0 count as 0, and each row is divided by its sum.", kind="small faint")
    html.notice(
        f"Who knows the {'equation' if found['formula'] else 'matrix'} guesses {found['guessed']:.0f} % of the "
        "values right: keep it to yourself if the masked file is released. The score does not see this.",
        kind="bad" if found["guessed"] >= 80 else "",
    )


def _draw_attribute(attribute: dict[str, Any]) -> None:
    guess, name, categories = attribute["guess"], attribute["name"], attribute["categories"]
    about = (
        f"Who knows this matrix guesses {guess['right']:.0f} % of the values right; who only knows which category is "
        f"the most frequent, {guess['blind']:.0f} %."
    )
    with html.panel(name, about=about):
        if attribute["warning"]:
            html.notice(attribute["warning"], kind="bad")
        if len(categories) > DRAWN_UP_TO:
            html.words(
                f"{len(categories)} categories are too many to draw: the file of the matrices has them all."
            )
            return
        with html.side_by_side():
            with ui.element("div"):
                html.heading("What each category becomes", level=3)
                html.words("Rows: the original category. Columns: what is released.", kind="small faint")
                _draw_heat_map(categories, attribute["matrix"], title=f"What each category of {name} becomes")
            with ui.element("div"):
                html.heading("How often a category stays", level=3)
                html.words("The diagonal of the matrix.", kind="small faint")
                _draw_diagonal(attribute)
        html.formula(GUESSED, explained=("P(original | released) follows from the matrix by Bayes' rule.",))


def _draw_heat_map(categories: Sequence[str], matrix: Sequence[Sequence[float]], *, title: str) -> None:
    """A cell for every pair of categories: from the one of its row to the one of its column."""
    written = len(categories) <= WRITTEN_UP_TO
    drawn = chart(
        {
            "grid": {"left": 4, "right": 16, "top": 4, "bottom": 44, "containLabel": True},
            "xAxis": _axis(categories, beside=True),
            "yAxis": {**_axis(categories, beside=False), "inverse": True},
            "visualMap": {
                **colour_scale(0, 1, COLOURS, ends=("always", "never")),
                "precision": 2,
                "itemHeight": 160,
                "outOfRange": {"color": "transparent"},  # it lies under the colours, which let it through
            },
            "series": [
                {
                    "name": "probability",
                    "type": "heatmap",
                    "data": _cells(categories, matrix),
                    "label": {"show": written},
                    "itemStyle": {"borderColor": "var(--surface)", "borderWidth": 2 if written else 1},
                    "emphasis": {"itemStyle": {"borderColor": "var(--ink)"}},
                }
            ],
        },
        title=title,
        headings=("From", *categories),
        rows=[
            (name, *(f"{value:.2f}" for value in row)) for name, row in zip(categories, matrix, strict=True)
        ],
    )
    drawn.style(f"height: {min(11 + 1.9 * len(categories), 42):.1f}rem")


def _cells(categories: Sequence[str], matrix: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    return [
        {
            "value": [column, place, value],
            "name": f"{categories[place]} → {categories[column]}",
            "label": {
                "formatter": f"{value:.2f}" if value >= 0.005 else "",
                "color": ON_COLOUR if value > 0.55 else "var(--ink)",
            },
        }
        for place, row in enumerate(matrix)
        for column, value in enumerate(row)
    ]


def _axis(categories: Sequence[str], *, beside: bool) -> dict[str, Any]:
    return {
        "type": "category",
        "data": list(categories),
        "axisLabel": whole_names(categories, beside=beside) if len(categories) <= LABELLED_UP_TO else LABEL,
        "axisLine": {"show": False},
        "axisTick": {"show": False},
    }


def _draw_diagonal(attribute: dict[str, Any]) -> None:
    shares = [round(100 * value, 1) for value in attribute["diagonal"]]
    drawn = percent_bars(
        dict(zip(attribute["categories"], shares, strict=True)),
        title=f"How often a category of {attribute['name']} stays as it is",
        headings=("Category", "Stays"),
        colour="var(--bar)",
        digits=1,
    )
    drawn.style(f"height: {min(4 + 1.9 * len(shares), 40):.1f}rem")


def _draw_scores(found: dict[str, Any]) -> None:
    html.facts(
        ("", "Information loss", "Disclosure risk", "Score", "Guessed right"),
        [
            (one["name"], *(f"{one[what]:.2f} %" for what in ("loss", "risk", "score", "guessed")))
            for one in found["scores"]
        ],
        caption="Lower is better",
        figures=range(1, 5),
    )


def _course(found: dict[str, Any]) -> str:
    return (
        f"{found['generations']:,} generations in {found['seconds']:.1f} s. It ended since {found['ended']}."
    )
