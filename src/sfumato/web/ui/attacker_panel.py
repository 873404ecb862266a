"""What attackers would find: a panel that lets them try when somebody asks for it."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui.element import Element

from sfumato.web.bench import Visit
from sfumato.web.ui import html
from sfumato.web.ui.charts import amount_axis, chart, legend, name_axis

Found = dict[str, Any]


def offer_attackers(visit: Visit, chosen: list[str], place: Element) -> None:
    """Draw the panel for the chosen keys; nothing without any."""
    place.clear()
    visit.drop("attackers")
    if not chosen:
        return
    about = "Each attack is made on the file as it is, by somebody who knows the keys of everybody in it."
    with place, html.panel("What attackers would find", about=about):
        let_them_try(lambda: visit.ask("attackers", {"keys": list(chosen)}), draw_attackers)


def let_them_try(ask: Callable[[], Awaitable[Found]], draw: Callable[[Found], None]) -> None:
    """Draw a button that asks what the attackers find, and then the answer in its place."""
    result = html.said_aloud()

    async def run() -> None:
        button.set_visibility(False)
        found = await html.attempted(result, "The attackers are at work; this takes some seconds …", ask)
        if found is None:  # refused, which is told, or dropped since somebody left
            if not button.is_deleted:
                button.set_visibility(True)
            return
        with result:
            draw(found)

    button = html.action("Let them try", run, kind="main")


def draw_attackers(found: Found) -> None:
    """Success of each attack, beside a guess and the same attack on shuffled columns."""
    if found["sampled"] < found["records"]:
        html.words(
            f"Tried on {found['sampled']:,} records drawn at random from {found['records']:,}: among fewer people each "
            "is easier to find, so read the links as an upper end.",
            kind="faint",
        )
    attacks = found["attacks"]
    series = [
        {
            "name": name,
            "type": "bar",
            "data": [round(one[part]["value"], 2) for one in attacks],
            "itemStyle": style,
        }
        for name, part, style in (
            ("the attack", "attack", {"color": "var(--risk)"}),
            ("columns shuffled", "control", {"color": "var(--bar)"}),
            ("a guess", "baseline", {"color": "var(--faint)"}),
        )
    ]
    names = [one["name"].replace("_", " ") for one in attacks]
    chart(
        {
            "legend": legend(),
            "xAxis": {**amount_axis(), "max": 100},
            "yAxis": name_axis(names, downwards=True),
            "series": series,
        },
        title="Success of each attack, beside a guess and the same attack on shuffled columns",
        headings=("Attack", "Success", "Columns shuffled", "A guess"),
        rows=[
            (name, *(_rate(one[part]) for part in ("attack", "control", "baseline")))
            for name, one in zip(names, attacks, strict=True)
        ],
    )
    _draw_meaning([(name, one["summary"]) for name, one in zip(names, attacks, strict=True)])


def _draw_meaning(summaries: list[tuple[str, str]]) -> None:
    with html.more("What each attacker does, and how success is counted"):
        html.facts(("Attack", "What the intruder does"), summaries, caption="The attackers")
        html.words(
            "success = 100 · (records found, or values guessed closely) / n", tag="div", kind="formula"
        )
        html.words(
            "An attack teaches something where its success lies above both the guess, which never looks at the "
            "release, and the attack on shuffled columns, where no record belongs to anybody. Of m equally near "
            "records the right one counts 1/m. Intervals are 95 % Wilson intervals.",
            kind="small",
        )


def _rate(rate: dict[str, float]) -> str:
    return f"{rate['value']:.1f} % ({rate['low']:.1f} to {rate['high']:.1f})"
