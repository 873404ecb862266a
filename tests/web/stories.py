"""Runs for tests of pages: made here, as the process of a run makes them, or asked for in a browser."""

import itertools
import json
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benches import check_nothing_is_wider
from test_pages import FAINT, LEVELS, NAMELESS

from sfumato.jobs import job_class, study_of
from sfumato.web.projects import Project
from sfumato.web.questions.process.project_data import ProjectData, RecentCache, project_state
from sfumato.web.runs.project_job import project_job
from sfumato.web.runs.run_folder import FACTS, JOURNAL, OUT, SCRATCH, STUDY, record_in
from sfumato.web.runs.run_process import work


def finished_run(project: Project, command: str, settings: dict[str, Any]) -> str:
    """A run of the job of a command on the file of a project, done in this process; its id."""
    id = secrets.token_hex(6)
    folder = project.runs / id
    for part in (OUT, JOURNAL, SCRATCH):
        (folder / part).mkdir(parents=True)
    job = project_job(project, job_class(command, "the test"), settings)
    study_of(job, folder=Path()).write(folder / STUDY)
    facts = {"label": command, "command": command, "workers": 1, "created": time.time()}
    (folder / FACTS).write_text(json.dumps(facts))
    work(folder)
    return id


def held(project: Project) -> ProjectData:
    """The project as questions see it."""
    return ProjectData(project_state(project), RecentCache())


def record_of(project: Project, run: str) -> dict[str, Any]:
    """What a run wrote about itself."""
    found = record_in(project.runs / run / OUT)
    assert found is not None
    return found


def check_usable(page: Any) -> None:
    """Every control has a name, headings go down step by step, texts stand out, and nothing is wider than a tablet."""
    assert not (nameless := page.evaluate(NAMELESS)), nameless
    levels = page.evaluate(LEVELS)
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(200)
        assert not (faint := page.evaluate(FAINT)), faint
    page.set_viewport_size({"width": 768, "height": 1024})
    check_nothing_is_wider(page, 768)
    page.set_viewport_size({"width": 1366, "height": 850})


def choose_column(page: Any, name: str) -> None:
    """The column of a step, whose fields are then drawn anew."""
    from playwright.sync_api import TimeoutError

    for _ in range(20):  # the editor may be drawn anew meanwhile, after the step before
        page.get_by_label("Column", exact=True).select_option(name)
        with suppress(TimeoutError):
            page.locator(f'[data-column="{name}"]').wait_for(state="attached", timeout=3000)
            return
    raise AssertionError(f"The fields of {name} are never drawn.")


def run_shown(page: Any) -> str:
    """The id of the run whose files are linked."""
    address: str = page.locator("a[download]").first.get_attribute("href")
    return address.split("/runs/")[1].split("/")[0]
