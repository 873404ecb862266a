"""Graphs drawn: nodes in their places, edges that stayed, came and went; and how many neighbours people have."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, above, amount_axis, chart, legend

WIDE, HIGH = 1600, 1000  # small coordinates would be rounded to half units
FEW = 5  # people with the same number of friends, below which a node is drawn as exposed
FOLLOWED_UP_TO = 600  # nodes, whose neighbours light up quickly enough
NEARER = 1.5
WHOLE = 1.2  # the zoom that shows all of it: by itself, a picture takes up four fifths of its place
KINDS = {"stayed": "stays", "added": "added", "removed": "removed"}
# a canvas knows no colours of the theme: these suit paper light or dark
EXPOSED, HIDDEN = "#e0762e", "#3c94d0"
STAYED = {"color": "#808890", "opacity": 0.4, "width": 0.7}
CHANGED = {
    "added": {"color": "#2aa884", "opacity": 0.9, "width": 1.4},
    "removed": {"color": EXPOSED, "opacity": 0.9, "width": 1.4, "type": "dashed"},
}
LEGEND = {
    "fewer than 5 people have as many friends": EXPOSED,
    "5 or more do": HIDDEN,
}

Picture = Mapping[str, Any]
Edges = Mapping[str, Sequence[Sequence[int]]]


def graph_chart(picture: Picture, edges: Edges, *, title: str) -> ui.echart:
    """The graph; nodes that few others look like by their number of neighbours have another colour."""
    with html.row() as line:
        line.classes("centred")
        _draw_legend()
    drawn = chart(
        {"series": [_series(picture, edges)]},
        renderer="canvas",
        title=title,
        headings=("What is drawn", "Number"),
        rows=[
            ("people", f"{picture['nodes']:,}"),
            *((f"edges: {KINDS[kind]}", f"{len(pairs):,}") for kind, pairs in edges.items()),
            ("people whom fewer than 5 equal in the number of friends", f"{picture['exposed']:,}"),
        ],
    )
    with line:
        _draw_zoom(drawn)
    return drawn.style("height: 34rem")


def _series(picture: Picture, edges: Edges) -> dict[str, Any]:
    followed = picture["nodes"] <= FOLLOWED_UP_TO
    return {
        "type": "graph",
        "layout": "none",
        "roam": "move",  # a wheel that zooms would trap who only scrolls by
        "zoom": WHOLE,
        "categories": [{"name": name, "itemStyle": {"color": colour}} for name, colour in LEGEND.items()],
        "data": _nodes(picture),
        "links": [
            {"source": start, "target": end, **({"lineStyle": CHANGED[kind]} if kind in CHANGED else {})}
            for kind, pairs in edges.items()
            for start, end in pairs
        ],
        "lineStyle": STAYED,
        "edgeSymbol": ["none", "arrow"] if picture["directed"] else ["none", "none"],
        "edgeSymbolSize": 5,
        "emphasis": {"focus": "adjacency"} if followed else {"disabled": True},
    }


def _nodes(picture: Picture) -> list[dict[str, Any]]:
    scale = 1.6 * _scale(picture["nodes"])
    facts = zip(_spread(picture["places"]), picture["degrees"], picture["alike"], strict=True)
    return [
        {
            "name": str(number),
            "x": round(x),
            "y": round(y),
            "symbolSize": round(3 + scale * degree**0.5, 1),
            "category": 0 if alike < FEW else 1,
            "value": degree,
        }
        for number, ((x, y), degree, alike) in enumerate(facts, start=1)
    ]


def _spread(places: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """The places moved apart until they fill the picture in both directions."""
    across, down = zip(*places, strict=True) if places else ((), ())
    return list(zip(_filling(across, WIDE), _filling(down, HIGH), strict=True))


def _filling(numbers: Sequence[float], size: float) -> list[float]:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return [size * (number - low) / ((high - low) or 1) for number in numbers]


def _draw_legend() -> None:
    with ui.element("ul").classes("legend"):
        for name, colour in LEGEND.items():
            with ui.element("li"):
                ui.element("span").classes("dot").style(f"background: {colour}").props("aria-hidden=true")
                html.words(name, tag="span")


def _draw_zoom(drawn: ui.echart) -> None:
    """Buttons that bring the picture nearer; it is moved by dragging."""
    zoom = [WHOLE]

    def change(factor: float) -> None:
        zoom[0] = max(zoom[0] * factor, WHOLE)
        drawn.run_chart_method("setOption", {"series": [{"zoom": zoom[0]}]})

    html.action("Nearer", lambda: change(NEARER), kind="plain")
    html.action("Farther", lambda: change(1 / NEARER), kind="plain")


def degree_chart(distributions: Mapping[str, Sequence[Mapping[str, int]]]) -> ui.echart:
    """How many people have how many neighbours, in one graph or two."""
    highest = max((row["degree"] for rows in distributions.values() for row in rows), default=0)
    counts = {name: {row["degree"]: row["nodes"] for row in rows} for name, rows in distributions.items()}
    colours = ("var(--bar)", "var(--good)")
    return chart(
        {
            "grid": {**GRID, "top": 54 if len(distributions) > 1 else 28, "bottom": 34},
            "legend": legend() if len(distributions) > 1 else {"show": False},
            "tooltip": {"confine": True, "trigger": "axis"},
            "xAxis": {
                **amount_axis("friends", unit=""),
                "minInterval": 1,
                "min": -0.5,
                "max": highest + 0.5,
                "splitLine": {"show": False},
                "axisLabel": {"color": "var(--ink)", "showMinLabel": False, "showMaxLabel": False},
            },
            "yAxis": {**amount_axis(unit=""), **above("people")},
            "series": [
                {
                    "name": name,
                    "type": "bar",
                    "barMaxWidth": 18,
                    "itemStyle": {"color": colour},
                    "data": [[degree, counts[name].get(degree, 0)] for degree in range(highest + 1)],
                }
                for name, colour in zip(distributions, colours, strict=False)
            ],
        },
        title="People by the number of their friends",
        headings=("Friends", *(f"People {name}" for name in distributions)),
        rows=[
            (str(degree), *(f"{counts[name].get(degree, 0):,}" for name in distributions))
            for degree in sorted({row["degree"] for rows in distributions.values() for row in rows})
        ],
    )


def _scale(nodes: int) -> float:
    """Nodes get smaller where there are many."""
    return 1.4 if nodes <= 200 else 1.0 if nodes <= 800 else 0.6
