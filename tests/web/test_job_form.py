"""Forms that are made from jobs: an option that is declared has a field, and what is typed is what the job gets."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import Server, visiting, wait_until
from nicegui import Client
from nicegui.page import page as page_at
from stories import check_usable
from test_story import start_search

from sfumato.core import ParameterError, param, registry
from sfumato.jobs import Job
from sfumato.jobs.protect import Protect
from sfumato.masking import Masking, Mdav
from sfumato.web.ui.fields import Field, Tick, TickList
from sfumato.web.ui.job_form import JobForm


class Wider(Protect):
    """A job with an option of every kind that no page has heard of."""

    depth: int = param(default=3, low=1, high=9, help="how deep")
    share: float | None = param(default=None, low=0, high=1, help="how much", usual="half")
    loud: bool = param(default=False, help="say more")
    strict: bool | None = param(default=None, help="be strict", usual="if asked")
    shade: str = param(default="dark", choices=("dark", "light"), help="which")
    colours: tuple[str, ...] = param(default=(), choices=("red", "blue"), help="some of them")
    ends: tuple[float, float] | None = param(default=None, low=0, help="from and to")
    names: tuple[str, ...] = param(default=(), help="a few names")
    by: Masking = param(default=Mdav(), help="by what")
    secret: Path | None = param(default=None, help="a file that is read")
    elsewhere: int = param(default=1, help="where it is done", where=True)
    named: str = param(default="", help="a word or a file", file=True)


@pytest.fixture(autouse=True)
def drawing() -> Iterator[None]:
    """Somebody to draw for."""
    with Client(page_at("/drawn")):
        yield


def drawn(job: type[Job], beside: tuple[str, ...] = ()) -> JobForm:
    """A form whose page asks for nothing by itself."""
    form = JobForm(job)
    form.ask_more(beside=beside)
    return form


def test_a_formal_promise_is_asked_for_like_any_other_option() -> None:
    form = drawn(Protect)
    assert form.settings() == {}
    form.fields["epsilon"].control.value = "0,5"
    form.fields["delta"].control.value = "1e-7"
    assert form.settings() == {"epsilon": 0.5, "delta": 1e-7}


def test_what_a_page_asks_for_is_not_asked_again_and_may_begin_with_another_value() -> None:
    form = JobForm(Wider)
    depth = form.ask("depth", "Depth", value=5)
    shade = form.ask("shade", "Shade", words={"dark": "as by night", "light": "as by day"})
    form.ask_more()
    assert list(form.fields)[:2] == ["depth", "shade"] and form.fields["depth"] is depth
    assert form.settings() == {"depth": 5} and (depth.value, shade.value) == (5, "dark")


TYPED = {
    "depth": ("7", 7),
    "share": ("0,25", 0.25),
    "loud": (True, True),
    "strict": ("false", False),
    "shade": ("light", "light"),
    "ends": ("0.5, 2", (0.5, 2.0)),
    "names": ('age, "income, net"', ("age", "income, net")),
    "by": ("mdav(k=7)", Mdav(k=7)),
    "require": ("k >= 5\n\ndistance_linkage <= 2", None),
    "stagnation": ("40", None),
}


def test_what_is_declared_is_drawn_and_read_back() -> None:
    form = drawn(Wider)
    for key, (typed, _) in TYPED.items():
        form.fields[key].control.value = typed  # type: ignore[misc]
    form.fields["evolve"].control.value = "30g"  # type: ignore[misc]
    job = Wider.from_settings({"file": "in.csv", **form.settings()})
    for key, (_, wanted) in TYPED.items():
        assert wanted is None or getattr(job, key) == wanted, key
    assert [str(gate) for gate in job.require] == ["k_anonymity.smallest >= 5", "distance_linkage <= 2"]
    assert job.stop.given == {"stagnation": 40} and str(job.evolve) == "30g"


def test_the_field_fits_the_kind_of_values() -> None:
    fields = drawn(Wider, beside=("score",)).fields
    assert isinstance(fields["colours"].control, TickList) and isinstance(fields["loud"].control, Tick)
    tags = {key: one.control.tag for key, one in fields.items() if isinstance(one.control, Field)}
    assert (tags["shade"], tags["strict"], tags["require"], tags["depth"]) == (
        "select", "select", "textarea", "input"
    )  # fmt: skip
    assert {"secret", "elsewhere", "named", "score", "file", "output", "delimiter", "key"}.isdisjoint(fields)


@pytest.mark.parametrize(
    ("key", "typed", "sentence"),
    [
        ("depth", "10", "depth must be an integer from 1 to 9. Got 10."),
        ("share", "much", "share must be a number from 0 to 1"),
        ("by", "mdva", "Did you mean mdav"),
        ("ends", "1", "ends must be a list of 2"),
    ],
)
def test_what_is_wrong_is_refused_and_marked(key: str, typed: str, sentence: str) -> None:
    form = drawn(Wider)
    control = form.fields[key].control
    assert isinstance(control, Field)
    control.value = typed
    with pytest.raises((ParameterError, LookupError), match=sentence):
        form.settings()
    assert control.props["aria-invalid"] == "true"
    control.value = ""
    assert form.settings() == {} and "aria-invalid" not in control.props


@pytest.mark.parametrize("name", registry.names("jobs"))
def test_a_form_that_is_left_as_it_is_says_nothing(name: str) -> None:
    assert drawn(registry.load("jobs", name)).settings() == {}


def test_a_further_option_of_a_page_is_in_the_study_of_the_run(server: Server, browser: Any) -> None:
    project = server.open("people.csv")
    with visiting(browser, server) as page:
        page.goto(f"{server.base}/projects/{project}/protect")
        page.get_by_text("More options").click()
        sample = page.get_by_label("Sample: records to try candidates on")
        assert sample.input_value() == "50000"
        check_usable(page)
        sample.fill("50")
        start_search(page, methods=("pram",))
        page.get_by_text("protect: sample must be an integer of at least 100. Got 50.").wait_for()
        sample.fill("500")
        page.get_by_label("Keep: identifiers and doubtful columns").fill("person_id")
        page.get_by_role("button", name="Start the search").click()
        with server.client() as client:
            runs = f"/api/projects/{project}/runs"
            wait_until(lambda: any(run["finished"] for run in client.get(runs).json()["runs"]))
            (run,) = client.get(runs).json()["runs"]
            study = tomllib.loads(client.get(f"{runs}/{run['id']}/study.toml").text)
    assert (run["state"], run["error"]) == ("finished", "")
    assert (study["sample"], study["keep"], study["methods"]) == (500, ["person_id"], ["pram"])
