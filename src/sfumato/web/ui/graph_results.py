"""What protecting a graph came to: both pictures, losses, risks, and how the structure moved."""

from typing import Any

from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, amount_axis, chart, legend, name_axis, percent_bars
from sfumato.web.ui.graph_chart import degree_chart, graph_chart

LOSS = "information loss = (AAMIL + CDIL + DBIL) / 3"
LOSSES = (
    "AAMIL: values beside those of their neighbours. CDIL: how often each value occurs. DBIL: how far each value moved.",
)
RISK = "disclosure risk = 100 · (nodes whose neighbourhood is still in the protected graph) / nodes"


INTRUDERS = (
    "Three intruders who know the original graph. Surroundings: values, numbers of friends and those of the friends. "
    "Learned: the same, by somebody who knows where a tenth of the people are. People known: somebody who knows where a few "
    "are, and goes from friend to friend."
)


def draw_protected(found: dict[str, Any]) -> None:
    for warning in found["warnings"]:
        html.notice(warning, kind="bad")
    _draw_numbers(found)
    _draw_picture(found)
    with html.side_by_side():
        with html.panel("Friends before and after"):
            degree_chart({"before": found["before"]["distribution"], "after": found["after"]["distribution"]})
        with html.panel(
            "Who is still found", about="Percent of the people, by what an intruder knows of everybody."
        ):
            _draw_risks(found)
    if found["attacks"]:
        with html.panel("Who is found by intruders", about=INTRUDERS):
            _draw_attacks(found["attacks"])
    if found["losses"]:
        with html.panel("What was lost", about="Percent, by column; lower is better."):
            _draw_losses(found)
    if found["structure_evaluation"]:
        _draw_structure(found["structure_evaluation"])


def _draw_numbers(found: dict[str, Any]) -> None:
    change = found["change"]
    with html.numbers():
        if found["losses"]:
            html.number(
                f"{100 * found['information_loss']:.1f} %",
                "of the information is lost",
                meaning="The mean of three losses over all columns.",
                how=LOSS,
            )
        html.number(
            f"{100 * found['disclosure_risk']:.1f} %",
            "of the people are still found",
            meaning="By somebody who knows all columns of them and of their friends, and who of these know each other.",
            how=RISK,
            kind="risky" if found["disclosure_risk"] > 0.05 else "good",
        )
        html.number(
            f"{found['after']['exposed']:,}",
            "can be narrowed down to fewer than five",
            meaning=f"By the number of their friends alone; before, {found['before']['exposed']:,} could.",
            kind="risky" if found["after"]["exposed"] else "good",
        )
        html.number(
            f"+{len(change['added']):,} −{len(change['removed']):,}",
            "edges were added and removed",
            meaning=f"Of {found['before']['edges']:,} that there were.",
        )


def _draw_picture(found: dict[str, Any]) -> None:
    change, after = found["change"], found["after"]
    if not (found["before"]["drawn"] and after["drawn"]):
        html.notice("The graph is too large to be drawn: a picture would show nothing.")
        return
    if not (change["added"] or change["removed"]):
        html.notice("The edges are as they were: only the profiles of the people changed.")
        return
    gone = {tuple(pair) for pair in change["removed"]}
    edges = {
        "stayed": [pair for pair in found["before"]["pairs"] if tuple(pair) not in gone],
        "added": change["added"],
        "removed": change["removed"],
    }
    about = "The same places as above: edges that were added are green, those that were removed are dashed."
    with html.panel("The protected graph", about=about):
        graph_chart(after, edges, title="The protected graph")


def _draw_risks(found: dict[str, Any]) -> None:
    risks = {name: round(100 * value, 2) for name, value in found["risks"].items()}
    drawn = percent_bars(
        risks,
        title="People who are still found, by what is known",
        headings=("What is known", "Found"),
        colour="var(--risk)",
        digits=2,
    )
    drawn.style(f"height: {4 + 2.4 * len(risks):.1f}rem")


def _draw_attacks(attacks: dict[str, Any]) -> None:
    html.facts(
        ("Intruder", "Found", "A guess", "Where nothing links the graphs"),
        [
            (name, *(f"{one[part]['value']:.1f} %" for part in ("attack", "baseline", "control")))
            for name, one in attacks.items()
        ],
        caption="Percent of the people that each finds",
        figures=(1, 2, 3),
    )


def _draw_losses(found: dict[str, Any]) -> None:
    losses, columns = found["losses"], list(next(iter(found["losses"].values())))
    colours = ("var(--bar)", "var(--good)", "var(--risk)")
    chart(
        {
            "grid": {**GRID, "top": 44},
            "legend": legend(),
            "tooltip": {"confine": True, "trigger": "axis"},
            "xAxis": name_axis(columns),
            "yAxis": amount_axis(),
            "series": [
                {
                    "name": name,
                    "type": "bar",
                    "barMaxWidth": 30,
                    "itemStyle": {"color": colour},
                    "data": [round(100 * parts[column], 2) for column in columns],
                }
                for (name, parts), colour in zip(losses.items(), colours, strict=True)
            ],
        },
        title="Information loss by measure and column",
        headings=("Measure", *columns, "Mean"),
        rows=[
            (name, *(f"{100 * parts[c]:.2f} %" for c in columns), f"{100 * found['means'][name]:.2f} %")
            for name, parts in losses.items()
        ],
    )
    html.formula(LOSS, explained=LOSSES)


def _draw_structure(found: dict[str, Any]) -> None:
    with html.side_by_side():
        with html.panel("How the structure moved"):
            html.facts(
                ("Property", "Before", "After", "Change"),
                [
                    (
                        line["name"].replace("_", " "),
                        _number(line["before"]["value"]),
                        _number(line["after"]["value"]),
                        "unknown" if line["change"] is None else f"{line['change']:+.1f} %",
                    )
                    for line in found["losses"]["lines"]
                ],
                caption="Nearer to no change is better",
                figures=(1, 2, 3),
            )
        with html.panel("Who is found by the structure"):
            html.facts(
                ("What is known", "Found before", "Found after"),
                [
                    (known, f"{was['success']:.1f} %", f"{now['success']:.1f} %")
                    for known, was, now in zip(
                        ("how many friends", "how many friends these have", "and theirs"),
                        found["before"],
                        found["after"],
                        strict=False,
                    )
                ],
                caption="Percent of the people, by who picks one of the candidates at random",
                figures=(1, 2),
            )


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"
