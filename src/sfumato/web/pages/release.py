"""Release: what the file must meet, and the files that go out with it."""

from typing import Any

from nicegui import ui
from nicegui.element import Element

from sfumato.core import DataError
from sfumato.jobs import Job
from sfumato.measures import is_percentage, title
from sfumato.web.bench import NavigationEntry, Visit
from sfumato.web.runs.chosen_point import ChosenPoint, chosen_point
from sfumato.web.runs.project_job import FORMATS, OUTPUT, is_release, output_name, project_job
from sfumato.web.runs.risk_utility_map import RELEASE, point_of
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html
from sfumato.web.ui.envelope_panels import draw_envelopes
from sfumato.web.ui.fields import choice, entry
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.run_list import RunList
from sfumato.web.ui.treatment_panels import LeftOutColumns, draw_treatments

NAVIGATION = NavigationEntry(
    title="Release",
    about="Say what the file must meet before it may go out. If it does not, nothing is released.",
    step=5,
)
MEANT = {
    "k_anonymity.smallest": "Smallest group of records that share their key values",
    "distance_linkage": "Records found by distance linkage",
}
RANDOM = ("seed", "secret")  # by which the file that was inspected is made again
SEARCHING = ("methods", "group-attributes", "evolve", "score", "seed", "sample", "epsilon", "delta")
STOPPING = ("for", "generations", "target", "stagnation")
BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


async def draw(visit: Visit) -> None:
    chosen = chosen_point(visit)
    if chosen is None:
        html.notice("Nothing to release yet: start a search on the page Protect.")
        html.link("Go to Protect", visit.address("protect"), kind="action main")
        return
    protect = await visit.job("protect")

    def wanted(run: RunState) -> bool:
        return is_release(visit.runs.job(run.id))

    async def show(run: RunState) -> None:
        _draw_files(visit, run, place)

    form = ui.element("div")
    runs = RunList(visit.runs, ["protect"], show=show, wanted=wanted)
    place = html.said_aloud()
    with form:
        _draw_form(visit, chosen, protect, runs)
    await runs.begin()


def _draw_form(visit: Visit, chosen: ChosenPoint, protect: type[Job], runs: RunList) -> None:
    with html.panel(
        "What it must meet",
        about=f"For {_called(visit, chosen)}. Leave a field empty to require nothing of it.",
    ):
        with html.row():
            k = entry("Everybody shares key values with at least", hint="k, such as 5", width=10)
            linkage = entry("Records found by distance linkage, at most %", hint="such as 2", width=10)
            risk = entry("Disclosure risk at most %", hint="such as 30", width=10)
            suffix = choice("Format", FORMATS, value=output_name(visit.project).removeprefix(OUTPUT))
        with html.more("What these mean"):
            html.words(
                "k: the smallest number of released records that share all their key values.", kind="small"
            )
            html.words(
                "Distance linkage: the share of records whose released version is nearest to their own original.",
                kind="small",
            )
            html.words(
                "Disclosure risk = (interval disclosure + distance linkage) / 2.", tag="div", kind="formula"
            )
        searched = visit.runs.job(chosen.run.id)
        columns = LeftOutColumns(chosen.run.summary.get("treatments", {}), kept=getattr(searched, "keep", ()))
        columns.draw()
        more = JobForm(protect)
        more.ask_more(beside=("masking", "keep", *SEARCHING, *STOPPING))

        async def start() -> None:
            settings = more.settings()
            require = [
                f"{name} {limit}"
                for name, limit in (
                    ("k >=", _limit("k", k.value)),
                    ("distance_linkage <=", _limit("Linkage", linkage.value)),
                    ("disclosure_risk <=", _limit("Risk", risk.value)),
                )
                if limit
            ] + [str(gate) for gate in settings.get("require", ())]
            settings |= {"require": require, "output": f"{OUTPUT}{suffix.value}", "keep": columns.keep}
            label = ", ".join(require).replace("_", " ").replace("<=", "at most").replace(">=", "at least")
            job = _job(visit, chosen, protect, settings)
            await runs.start(job, label=f"Release: {label or 'nothing required'}")

        html.action("Check and make the release", start, kind="main")


def _called(visit: Visit, chosen: ChosenPoint) -> str:
    if chosen.point == RELEASE:
        return f"what the run “{chosen.run.label}” ended with"
    return str(_point(visit, chosen)["label"])


def _point(visit: Visit, chosen: ChosenPoint) -> dict[str, Any]:
    return point_of(visit.runs.points(chosen.run.id), chosen.point)


def _job(visit: Visit, chosen: ChosenPoint, protect: type[Job], settings: dict[str, Any]) -> Job:
    """The job that makes the release: one masking, or the evolution again by its generations."""
    searched, summary = visit.runs.repeated(chosen.run.id), chosen.run.summary
    if chosen.point == RELEASE and summary.get("evolved"):
        kept = searched.settings()
        required = settings["require"] or kept.get("require") or ["k >= 1"]  # which always holds
        policy = getattr(searched, "usual_policy", "")  # which goes on to hold, beside what is required now
        held = {"policy": policy} if policy and not kept.get("require") else {}
        return type(searched).from_settings({**held, **kept, **settings, "require": required})
    spec = summary.get("spec") if chosen.point == RELEASE else _point(visit, chosen)["spec"]
    if spec is None:
        raise DataError("This point is no file by itself: choose a candidate, or the release of the run.")
    random = {name: value for name, value in searched.settings().items() if name in RANDOM}
    return project_job(visit.project, protect, {**random, "masking": spec, **settings})


def _limit(what: str, text: str) -> str:
    """A number as the gate takes it; nothing where nothing is required."""
    text = str(text or "").strip().replace(",", ".")
    if not text:
        return ""
    try:
        number = float(text)
    except ValueError:
        raise DataError(f"{what} must be a number. Got {text[:20]!r}.") from None
    if not 0 <= number < 1e9:
        raise DataError(f"{what} must be a number from 0 on. Got {text[:20]!r}.")
    return f"{number:g}"


def _draw_files(visit: Visit, run: RunState, place: Element) -> None:
    place.clear()
    with place:
        if not run.is_over:
            return
        if run.state != "finished":
            html.notice(run.error or "The run was stopped before anything was released.", kind="bad")
            return
        for gate in run.summary.get("gates") or []:
            html.notice(in_words(gate["gate"], gate["reading"]), kind="good")
        _draw_readiness(run)
        draw_treatments(run.summary.get("treatments", {}), records=run.summary.get("records"))
        draw_envelopes(visit, run)
        with html.more("The same file again, anywhere"):
            html.words("Unpack both archives in one folder, and there:", kind="faint")
            html.words(f"sfumato run {OUTPUT}.private/study.toml", tag="div", kind="formula")


def _draw_readiness(run: RunState) -> None:
    publication = run.summary.get("publication") or {}
    if publication.get("ready", True):
        html.notice(
            "Ready for publication: what goes out can be published, what stays must not be.", kind="good"
        )
    else:
        html.notice(f"Not ready for publication. {publication.get('because', '')}", kind="bad")
    promise = run.summary.get("promise") or {}
    for sentence in promise.get("sentences", ()):
        html.words(sentence, kind="small")


def in_words(gate: str, reading: float) -> str:
    """What was required of a release, and what it is.

    >>> in_words("distance_linkage <= 25", 15.8333)
    'Records found by distance linkage: at most 25 % was required, it is 15.8 %.'
    >>> in_words("k_anonymity.smallest >= 5", 7.0)
    'Smallest group of records that share their key values: at least 5 was required, it is 7.'
    >>> in_words("house_rule < 3", 1.25)
    'House rule: less than 3 % was required, it is 1.25 %.'
    """
    subject, comparison, limit = gate.split()
    measure, _, part = subject.partition(".")
    name, bound = MEANT.get(subject, title(measure)), f"{BOUNDS[comparison]} {limit}"
    if is_percentage(measure, part):
        return f"{name}: {bound} % was required, it is {reading:.3g} %."
    return f"{name}: {bound} was required, it is {reading:,.12g}."
