"""What is known about where a group is: today, to an attacker with another file, and after it was hidden."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, above, amount_axis, chart, legend, name_axis
from sfumato.web.ui.search_charts import score_chart

WHAT = {
    "quantity": "Members of the group in each place",
    "concentration": "Share of each place that belongs to the group",
}
OUTLIER = "|value − median| > τ · IQR / 1.349, where τ follows from Student's t; again and again without the largest"

BARS_UP_TO = 60  # places; more are drawn as lines
STANDS_OUT = "stands out"
COLOURS = ("var(--bar)", "var(--good)")
MARK = {
    "show": True,
    "position": "top",
    "distance": 2,
    "formatter": "◆",
    "color": "var(--risk)",
    "fontSize": 13,
}


def draw_today(found: dict[str, Any]) -> None:
    outliers = found["outliers"]
    with html.panel("Where they are today", about=_seen(found)):
        _signal_chart(found["signals"], {"in the file": ("value", "outlier")}, kind=found["signal"])
        html.formula(
            OUTLIER,
            explained=(
                "A place stands out if its value lies too far from the middle (modified Thompson τ).",
            ),
        )
        if not outliers:
            html.notice("No place stands out: there is nothing to hide.", kind="good")


def draw_protection(found: dict[str, Any]) -> None:
    still, named = found["still_found"], found["named"]
    html.notice(found["verdict"], kind="bad" if still else "good")
    with html.numbers():
        html.number(
            f"{len(named) - len(still)} of {len(named)}",
            "places are hidden",
            meaning=f"They stood out before: {', '.join(named)}.",
            kind="risky" if still else "good",
        )
        html.number(
            f"{found['changed_records']:,}",
            "records changed their place",
            meaning=f"{found['swaps']:,} swaps of two records each; nothing else in them changed.",
        )
        html.number(
            f"{found['altered_percent']:.3f} %",
            "of all values are different",
            meaning="Every place has as many records as before."
            if found["sizes_kept"]
            else "The number of records of some places changed.",
        )
        html.number(
            f"{found['distortion']:g}",
            "is how unlike the swapped people were",
            meaning="The number of columns in which they differ, added up over all swaps.",
        )
    _draw_seen(found)
    for one in found["others"]:
        html.notice(f"{one['group']}: {one['verdict']}", kind="bad" if one["still_found"] else "good")
        _draw_seen(one, f"{one['group']}: ")
    with html.panel("The search", about=f"{found['generations']:,} generations in {found['seconds']:.1f} s."):
        score_chart(found["history"])


def _draw_seen(found: dict[str, Any], whose: str = "") -> None:
    """What is seen of one group before and after: by the attack, by its true numbers, and by others."""
    both = {"before": ("before", "outlier_before"), "after": ("after", "outlier_after")}
    with html.panel(f"{whose}Before and after", about=f"What {found['attacked_by']} shows."):
        _signal_chart(found["signals"], both, kind=found["signal"])
    if found["truth"]:
        about = "What the file itself says about the group, which the attack cannot see."
        with html.panel(f"{whose}The truth, before and after", about=about):
            _signal_chart(found["truth"]["signals"], both, kind=found["signal"])
    judged = found["judged"]
    if judged["attackers"]:
        with html.panel(f"{whose}What others see", about=judged["sentence"]):
            html.facts(
                ("Attacker", "Hidden places seen before", "Seen after", "Newly standing out"),
                [
                    (
                        one["attacker"],
                        str(len(set(one["before"]) & set(found["named"]))),
                        ", ".join(one["still_found"]) or "none",
                        ", ".join(one["new"]) or "none",
                    )
                    for one in judged["attackers"]
                ],
                caption="Attackers that the search never used",
                figures=range(1, 2),
            )


def draw_attack(found: dict[str, Any]) -> None:
    _draw_attack(found)
    for one in found["others"]:
        _draw_attack(one, f"{one['group']}: ")


def _draw_attack(found: dict[str, Any], whose: str = "") -> None:
    html.notice(f"{whose}{found['verdict']}", kind="bad" if found["exposed"] else "good")
    lines = {"seen by the attack": ("auxiliary", "outlier")}
    if found["adequacy"]:
        lines["true"] = ("true", "true_outlier")
    about = f"The attack takes these for places of the group: {', '.join(found['outliers']) or 'none'}."
    with html.panel(f"{whose}What the attacker sees", about=about):
        _signal_chart(found["signals"], lines, kind=found["signal"])
    with html.side_by_side():
        with html.panel(f"{whose}How right it is"):
            _draw_adequacy(found)
        with html.panel(f"{whose}What it learnt", about="Rules about what members of the group look like."):
            _draw_rules(found)


def _draw_adequacy(found: dict[str, Any]) -> None:
    judged = {"this file": found["adequacy"], "the attacker's own file": found["rehearsal"]}
    html.facts(
        ("On", "Found", "Missed", "False", "ln B", "Reading"),
        [
            (
                name,
                *(str(len(one[what])) for what in ("disclosed", "undisclosed", "false")),
                f"{one['ln_b']:.2f}" if one["ln_b"] is not None else "unknown",
                one["reading"],
            )
            for name, one in judged.items()
            if one
        ],
        caption="Places that stand out, and whether the attack finds them",
        figures=range(1, 5),
    )
    html.formula(
        "B = P(both lists of places | they depend on one another) / P(both lists | they do not)",
        explained=("A Bayes factor: ln B of at least 1 is positive evidence, above 5 it is decisive.",),
    )


def _draw_rules(found: dict[str, Any]) -> None:
    if not found["rules"]:
        html.words("No rule tells the group from others.")
        return
    with ui.element("ol").classes("rules"):
        for rule in found["rules"]:
            html.words(rule["sentence"], tag="li")
    if found["more_rules"]:
        html.words(f"{found['more_rules']} more rules are in the record.", kind="small faint")


def _seen(found: dict[str, Any]) -> str:
    outliers, places = found["outliers"], len(found["signals"])
    stand = f"{len(outliers)} of {places:,} places stand out: {', '.join(outliers)}"
    told = stand if outliers else f"none of {places:,} places stands out"
    return f"{found['members']:,} of {found['records']:,} records belong to the group; {told}."


def _signal_chart(
    rows: Sequence[Mapping[str, Any]], lines: Mapping[str, tuple[str, str]], *, kind: str
) -> ui.echart:
    """The signals of some rows: for each name, the key of its value and that of its being an outlier."""
    share = kind == "concentration"
    places = [str(row["place"]) for row in rows]
    draw = _bars if len(rows) <= BARS_UP_TO else _line
    series = [
        draw(name, [(_amount(row[value], share), bool(row[outlier])) for row in rows], colour)
        for (name, (value, outlier)), colour in zip(lines.items(), COLOURS, strict=False)
    ]
    return chart(
        {
            "grid": {**GRID, "top": 54, "bottom": 34},
            "legend": legend(),
            "tooltip": {"confine": True, "trigger": "axis"},
            "xAxis": name_axis(places, "place"),
            "yAxis": _axis(share),
            "series": [*series, _mark_in_legend()],
        },
        title=WHAT[kind],
        headings=("Place", *lines, "Stands out"),
        rows=[
            (
                str(row["place"]),
                *(_written(row[value], share) for value, _ in lines.values()),
                ", ".join(name for name, (_, outlier) in lines.items() if row[outlier]),
            )
            for row in rows
        ],
    )


def _axis(share: bool) -> dict[str, Any]:
    if share:
        return {**amount_axis(), **above("share of the place")}
    return {**amount_axis(unit=""), **above("members of the group")}


def _bars(name: str, amounts: list[tuple[float, bool]], colour: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "bar",
        "barGap": "5%",
        "barCategoryGap": "30%",
        "itemStyle": {"color": colour},
        "data": [{"value": value, "label": MARK if stands else {"show": False}} for value, stands in amounts],
    }


def _line(name: str, amounts: list[tuple[float, bool]], colour: str) -> dict[str, Any]:
    """A line; only values that stand out have a symbol, which carries the mark."""
    return {
        "name": name,
        "type": "line",
        "showAllSymbol": True,
        "lineStyle": {"color": colour, "width": 1.5},
        "itemStyle": {"color": colour},
        "data": [
            {"value": value, "symbolSize": 5, "label": MARK} if stands else {"value": value, "symbolSize": 0}
            for value, stands in amounts
        ],
    }


def _mark_in_legend() -> dict[str, Any]:
    return {
        "name": STANDS_OUT,
        "type": "scatter",
        "symbol": "diamond",
        "itemStyle": {"color": "var(--risk)"},
        "data": [],
    }


def _amount(value: float, share: bool) -> float:
    return round(100 * value, 3) if share else round(value, 2)


def _written(value: float, share: bool) -> str:
    return f"{100 * value:.2f} %" if share else f"{value:,.6g}"
