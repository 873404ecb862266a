"""Release: what the file must meet, and the files that go out with it."""

from nicegui import ui
from nicegui.element import Element

from sfumato.core import registry
from sfumato.jobs import Job
from sfumato.masking import ByHand
from sfumato.measures import is_percentage, title
from sfumato.web.bench import NavigationEntry, Visit
from sfumato.web.runs.project_job import OUTPUT, formats, is_release, output_name
from sfumato.web.runs.release_subject import Subject, subject_of
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html
from sfumato.web.ui.envelope_panels import draw_envelopes
from sfumato.web.ui.fields import choice
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.remedies import draw_remedies
from sfumato.web.ui.requirement_fields import ASKED, NONE, RequirementFields
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
SEARCHING = ("methods", "group-attributes", "evolve", "score", "seed", "sample", "epsilon", "delta")
STOPPING = tuple(
    registry.load("stop_rules", name).option.removeprefix("--") for name in registry.names("stop_rules")
)
BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


async def draw(visit: Visit) -> None:
    protect = await visit.job("protect")
    subject = subject_of(visit, protect)
    if subject is None:
        html.notice("Nothing to release yet: start a search on the page Protect.")
        html.link("Go to Protect", visit.address("protect"), kind="action main")
        return

    def wanted(run: RunState) -> bool:
        return is_release(run, visit.runs.job(run.id))

    async def show(run: RunState) -> None:
        _draw_files(visit, run, place)

    form = ui.element("div")
    runs = RunList(visit.runs, ["protect"], show=show, wanted=wanted)
    place = html.said_aloud()
    with form:
        await _draw_form(visit, subject, protect, runs)
    await runs.begin()


async def _draw_form(visit: Visit, subject: Subject, protect: type[Job], runs: RunList) -> None:
    with html.panel("What it must meet", about=f"For {subject.called}."):
        requirements = RequirementFields(visit, usual=NONE)
        await requirements.draw()
        known, usual = formats(visit.project), output_name(visit.project).removeprefix(OUTPUT)
        with html.row():
            suffix = choice("Format", known, value=usual)
        columns = LeftOutColumns(subject.treatments, kept=subject.kept)
        columns.draw()
        more = JobForm(protect)
        more.ask_more(beside=("masking", "keep", *ASKED, *ByHand.option_keys(), *SEARCHING, *STOPPING))

        async def start() -> None:
            required = requirements.settings()
            settings = {**more.settings(), **required}
            settings |= {"output": f"{OUTPUT}{suffix.value}", "keep": columns.keep}
            said = ", ".join(required.get("require", ())).replace("_", " ")
            label = said.replace("<=", "at most").replace(">=", "at least") or required.get("policy", "")
            job = subject.job(settings)
            await runs.start(job, label=f"Release: {label or 'nothing required'}", releases=True)

        html.told_action("Check and make the release", start)


def _draw_files(visit: Visit, run: RunState, place: Element) -> None:
    place.clear()
    with place:
        if not run.is_over:
            return
        if run.state != "finished":
            html.notice(run.error or "The run was stopped before anything was released.", kind="bad")
            draw_remedies(visit, run)
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
