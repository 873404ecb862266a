"""Records at risk: which records an intruder would find first, and why; for the owner of the file alone."""

from typing import Any

from sfumato.web.bench import NavigationEntry, Visit
from sfumato.web.ui import html
from sfumato.web.ui.charts import percent_bars

NAVIGATION = NavigationEntry(
    title="Records at risk",
    about="The records that an intruder would find first, and what singles each of them out. A record number is a lead "
    "to a person: this page is for you alone.",
)
RISK = "individual risk = expected share, of the people alike in the population, that the record is: r = E(1 / F | f)"
SUDA = (
    "DIS-SUDA: how likely a match with the record is right, by the sets of at most 3 keys that single it out; a record "
    "that few keys single out scores most."
)


async def draw(visit: Visit) -> None:
    with html.waiting("Looking at every record …"):
        found = await visit.ask("at_risk")
    if not found["riskiest"]:
        html.notice("No column is a key: say on the page Data what an intruder may know.", kind="bad")
        return
    _draw_numbers(found)
    _draw_records(found)
    with html.side_by_side():
        with html.panel("By column", about="In which share of what singles people out each key has a part."):
            percent_bars(
                {name: round(share, 1) for name, share in found["attributes"].items()},
                title="Part of each key in what singles people out",
                headings=("Key", "Part"),
                colour="var(--risk)",
                digits=1,
            )
        with html.panel(
            "By category", about="The categories that single people out most: merge these first."
        ):
            html.facts(
                ("Column", "Category", "Part"),
                [
                    (one["attribute"], one["category"], f"{one['percent']:.1f} %")
                    for one in found["contributions"]
                ],
                caption="Part of categories in what singles people out",
                figures=(2,),
            )
            html.link("Recode by hand", visit.address("by_hand"), kind="action")


def _draw_numbers(found: dict[str, Any]) -> None:
    with html.numbers():
        html.number(
            f"{found['riskiest'][0]['individual_risk']:.1f} %",
            "is the greatest risk of a record",
            meaning="The chance that whoever knows the key values finds that person in the population.",
            how=RISK,
            kind="risky",
        )
        html.number(
            f"{found['singled_out']:.1f} %",
            "of the records are singled out by few keys",
            meaning="By at most three keys together nobody else in the file is like them.",
            how=SUDA,
            kind="risky" if found["singled_out"] > 0 else "good",
        )


def _draw_records(found: dict[str, Any]) -> None:
    households = found["households"]
    about = f"The {len(found['riskiest'])} of the greatest risk, by their place in the file, from 1 on."
    with html.panel("The riskiest records", about=about):
        html.facts(
            (
                "Record",
                "Risk",
                "DIS-SUDA",
                *(("Household found", "Members") if households else ()),
                "What singles it out",
            ),
            [
                (
                    f"{one['record']:,}",
                    f"{one['individual_risk']:.1f} %",
                    f"{one['dis_score']:.1f} %",
                    *((f"{one['household_risk']:.1f} %", f"{one['members']}") if households else ()),
                    f"{one['reason'][:1].upper()}{one['reason'][1:]}.",
                )
                for one in found["riskiest"]
            ],
            caption="Records of the greatest risk",
            figures=range(1, 5 if households else 3),
        )
