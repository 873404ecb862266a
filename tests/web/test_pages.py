import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import Server, check_nothing_is_wider, visiting, wait_until, write_people

from sfumato.data import Schema

NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, select, textarea')].filter(e => {
    const named = e.getAttribute('aria-label') || (e.matches('a, button') ? e.textContent.trim() : e.labels?.length);
    return !named && e.offsetParent !== null;
}).map(e => e.outerHTML)"""

LEVELS = "() => [...document.querySelectorAll('h1, h2, h3, h4')].map(e => +e.tagName[1])"

# the contrast of each text with what is behind it, as WCAG 2 defines it
FAINT = """() => {
    const channels = c => c.match(/[\\d.]+/g).map(Number);
    const light = c => {
        const [r, g, b] = channels(c).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = e => {
        for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor, parts = channels(c);
            if (parts.length === 3 || parts[3] > 0.99) return c;
        }
        return 'rgb(255, 255, 255)';
    };
    const found = [];
    for (const e of document.querySelectorAll('.q-layout *')) {
        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.checkVisibility() || e.closest('svg, .hidden-words, .bench-skip')) continue;
        const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(`${e.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return found;
}"""


@pytest.fixture(scope="module")
def page(browser: Any, server: Server) -> Iterator[Any]:
    with visiting(browser, server) as page:
        yield page


@pytest.fixture(scope="module")
def project(server: Server) -> str:
    return server.open("people.csv")


def _go(page: Any, server: Server, project: str, name: str) -> None:
    page.goto(f"{server.base}/projects/{project}/{name}")
    page.wait_for_selector({"data": "text=240 records", "risk": "text=stand alone"}[name])


def test_a_file_is_opened_described_and_judged(page: Any, server: Server) -> None:
    page.goto(server.base)
    page.get_by_role("button", name="inner/").click()
    page.get_by_role("button", name="back to the folder above").click()
    page.get_by_role("button", name=re.compile("^people.csv .*kB")).click()
    page.wait_for_url("**/data")
    page.wait_for_selector("text=The schema is proposed, not saved yet.")
    id = page.url.split("/")[-2]

    page.get_by_label("Scale of income", exact=True).select_option("numeric")
    page.get_by_role("button", name="Save the schema").click()
    page.wait_for_selector("text=Nothing was saved")
    assert "Column income cannot be numeric" in page.inner_text("tr:has-text('income') .complaint")
    assert page.get_by_label("Scale of income", exact=True).get_attribute("aria-invalid") == "true"
    assert not (server.home / "projects" / id / "schema.toml").exists()

    page.get_by_label("Missing codes of income").fill("refused")
    page.get_by_label("Role of health", exact=True).select_option("confidential")
    page.get_by_role("button", name="Details of town").click()
    page.get_by_label("Hierarchy").fill("Arezzo,centre,all\nBari,south,all\nComo,north,all\nDesio,north,all")
    page.get_by_role("button", name="Close", exact=True).click()
    page.wait_for_selector("text=Details of town", state="hidden")
    page.get_by_role("button", name="Save the schema").click()
    page.wait_for_selector("text=240 records, 6 columns. The schema is saved.")
    saved = Schema.read(server.home / "projects" / id / "schema.toml")
    assert (saved["income"].scale, saved["income"].missing) == ("numeric", ("refused",))
    assert saved["health"].role == "confidential"
    assert saved["town"].hierarchy is not None
    assert saved["town"].hierarchy.depth == 2

    with page.expect_download() as download:
        page.get_by_role("link", name="Download the schema").click()
    assert Schema.read(download.value.path()) == saved

    page.get_by_role("link", name="Next: the risk today").click()
    page.wait_for_selector("text=of the records stand alone")
    assert page.locator(".unconfirmed").count() == 0
    page.get_by_role("button", name="Let them try").click()
    page.wait_for_selector("text=What each attacker does")
    wait_until(lambda: page.locator("figure svg").count() == 2)


def test_pages_and_json_say_the_same(page: Any, server: Server, project: str) -> None:
    with server.client() as client:
        risk = client.get(f"/api/projects/{project}/risk").json()
        columns = client.get(f"/api/projects/{project}/columns").json()["columns"]
    _go(page, server, project, "risk")
    assert risk["schema"] == "proposed"
    assert "Nobody has confirmed the proposed roles" in page.get_by_role("note").inner_text()
    assert page.get_by_role("note").get_by_role("link").get_attribute("href").endswith(f"/{project}/data")
    wider = page.get_by_role("row").filter(has_text="All that others may know").get_by_role("cell")
    assert wider.all_inner_texts()[1] == f"{risk['known_by_others']['uniques']:.1f} %"
    shown = page.locator(".number .value").all_inner_texts()
    assert shown[:2] == [f"{risk['uniques']:.1f} %", f"{risk['below_5']:.1f} %"]
    assert shown[2:] == [str(risk["smallest"]), str(risk["classes"])]
    _go(page, server, project, "data")
    rows = page.locator("table.columns-of-file tbody tr")
    assert rows.count() == len(columns)
    for place, column in enumerate(columns):
        row = rows.nth(place)
        assert row.locator("th").inner_text() == column["name"]
        assert row.locator("select").first.input_value() == column["scale"]
        assert row.locator("select").last.input_value() == column["role"]
        assert f"{column['missing']:.1f} %" in row.inner_text()
    table = page.locator("svg.bars").first
    assert table.get_attribute("aria-label")


def test_keys_can_be_tried(page: Any, server: Server, project: str) -> None:
    _go(page, server, project, "risk")
    assert (page.locator(".number.risky").count(), page.locator(".number.good").count()) == (3, 0)
    for name in ("sex", "town", "age"):
        page.get_by_label(name, exact=True).set_checked(name == "sex")
    page.wait_for_function("document.querySelector('.number.good .value')?.innerText === '0.0 %'")
    assert page.locator(".number .value").nth(3).inner_text() == "2"
    assert (page.locator(".number.risky").count(), page.locator(".number.good").count()) == (0, 3)
    page.get_by_label("sex", exact=True).uncheck()
    page.wait_for_selector("text=No key is chosen")


def test_text_is_read_again_in_another_way(page: Any, server: Server) -> None:
    id = server.open("people.csv")
    page.goto(f"{server.base}/projects/{id}/data")
    page.wait_for_selector("text=240 records")
    page.get_by_role("button", name="Save the schema").click()
    page.wait_for_selector("text=The schema is saved.")
    page.get_by_role("button", name="See the first records").click()
    page.wait_for_selector("text=Read with comma , between cells, point . before decimals, encoding")
    assert page.get_by_role("row").filter(has_text="p00000").get_by_role("cell").all_inner_texts()[0] == "f"
    page.get_by_label("Between cells").select_option(";")
    page.get_by_role("button", name="Read it again").click()
    page.wait_for_selector(".notice.bad:has-text('people.csv')")
    page.get_by_label("Between cells").select_option("")
    page.get_by_label("The first line names the columns").uncheck()
    page.get_by_role("button", name="Read it again").click()
    page.wait_for_selector("text=241 records, 6 columns. The schema is proposed, not saved yet.")
    page.get_by_label("Encoding").fill("no-such-code")
    page.get_by_role("button", name="Read it again").click()
    page.wait_for_selector("text=encoding must be one of texts that Python knows")


def test_a_schema_file_is_taken_or_refused(page: Any, server: Server, project: str, tmp_path: Path) -> None:
    with server.client() as client:
        (tmp_path / "mine.toml").write_text(client.get(f"/api/projects/{project}/schema.toml").text)
    id = server.open("people.csv")
    _go(page, server, id, "data")
    page.get_by_label("or take it from a file").set_input_files(tmp_path / "mine.toml")
    page.wait_for_function("document.querySelector('textarea').value.includes('[attributes.town]')")
    page.get_by_role("button", name="Use this schema").click()
    page.wait_for_selector("text=The schema is saved.")
    _go(page, server, project, "data")
    page.get_by_label("Schema (TOML)").fill("[attributes.sex]\nscale = 'nominal'")
    page.get_by_role("button", name="Use this schema").click()
    page.wait_for_selector(".notice.bad:has-text('not declared in the schema')")
    assert page.get_by_label("Schema (TOML)").get_attribute("aria-invalid") == "true"


def test_what_is_typed_stays_when_the_page_changes(page: Any, server: Server, project: str) -> None:
    _go(page, server, project, "data")
    page.get_by_label("Missing codes of age").type("99, 9")
    page.get_by_label("Schema (TOML)").type("half a schem")
    page.get_by_label("The first line names the columns").uncheck()
    for theme in ("dark", "light"):
        page.get_by_label("Theme").select_option(theme)
        page.wait_for_function(f"document.body.classList.contains('body--{theme}')")
    page.get_by_role("button", name="Details of sex").click()
    page.wait_for_selector(".details-of-column")
    assert page.get_by_role("dialog", name="Details of sex").count() == 1
    page.keyboard.press("Escape")
    assert page.get_by_label("Missing codes of age").input_value() == "99, 9"
    assert page.get_by_label("Schema (TOML)").input_value() == "half a schem"
    assert not page.get_by_label("The first line names the columns").is_checked()


def test_uploads_go_through_the_browser(page: Any, server: Server, tmp_path: Path) -> None:
    write_people(tmp_path / "mine.csv", n=33)
    (tmp_path / "bad.csv").write_text("a,b\n1\n")
    (tmp_path / "large.csv").write_text("a,b\n" + "1,2\n" * 300_000)
    page.goto(server.base)
    earlier = server.projects()
    for name, sentence in (("bad.csv", "bad.csv, row 1"), ("large.csv", "at most 1 MB")):
        page.get_by_label("The file to upload").set_input_files(tmp_path / name)
        page.wait_for_selector(f".notice.bad:has-text('{sentence}')")
        assert not page.get_by_label("Sent").is_visible()
    assert server.projects() == earlier
    held: list[Any] = []
    page.route("**/api/uploads?*", lambda route: held.append(route))
    page.get_by_label("The file to upload").set_input_files(tmp_path / "mine.csv")
    page.get_by_label("Sent").wait_for(state="visible")  # how much is sent is seen while it is on its way
    page.wait_for_selector("text=Sending the file, then reading it")
    assert page.locator(".notice.bad").count() == 0
    held[0].continue_()
    page.unroute("**/api/uploads?*")
    page.wait_for_url("**/data")
    page.wait_for_selector("text=33 records")
    page.goto(server.base)
    page.get_by_role("button", name="Remove project mine.csv").click()
    page.wait_for_selector("text=The uploaded file goes too.")
    page.get_by_role("button", name="Keep").click()
    page.wait_for_selector("text=The uploaded file goes too.", state="detached")
    assert len(server.projects()) == len(earlier) + 1
    page.get_by_role("button", name="Remove project mine.csv").click()
    page.get_by_role("button", name="Remove", exact=True).locator("visible=true").last.click()
    page.wait_for_selector("text=mine.csv", state="detached")
    assert server.projects() == earlier


def test_a_file_of_the_folder_outlives_its_project(page: Any, server: Server) -> None:
    (server.folder / "once.csv").write_text((server.folder / "people.csv").read_text())
    server.open("once.csv")
    page.goto(server.base)
    page.get_by_role("button", name="Remove project once.csv").click()
    page.wait_for_selector("text=The file itself stays where it is.")
    page.get_by_role("button", name="Remove", exact=True).locator("visible=true").last.click()
    page.get_by_role("button", name="Remove project once.csv").wait_for(state="detached")
    assert (server.folder / "once.csv").exists()


def test_pages_can_be_read_and_used_by_all(page: Any, server: Server, project: str) -> None:
    for name in ("", "data", "risk"):
        page.goto(server.base) if not name else _go(page, server, project, name)
        page.wait_for_selector("h1")
        assert page.locator("main").count() == page.locator("header").count() == 1
        assert page.locator("nav").count() == (1 if name else 0)
        assert page.get_attribute("html", "lang") == "en-GB"
        levels = page.evaluate(LEVELS)
        assert levels.count(1) == 1
        assert all(lower - upper <= 1 for upper, lower in itertools.pairwise(levels))
        assert page.evaluate(NAMELESS) == []
        for theme in ("light", "dark"):
            page.get_by_label("Theme").select_option(theme)
            page.wait_for_function(f"document.body.classList.contains('body--{theme}')")
            assert page.evaluate(FAINT) == []
        for width in (768, 1366):
            page.set_viewport_size({"width": width, "height": 900})
            check_nothing_is_wider(page, width)
    page.reload()
    page.wait_for_selector("body.body--dark")  # the choice is remembered


def test_the_keyboard_is_enough(page: Any, server: Server, project: str) -> None:
    _go(page, server, project, "data")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.classList.contains('bench-content')")
    seen = []
    for _ in range(5):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert "Scale of person_id" in seen and "Role of person_id" in seen
    page.get_by_role("button", name="Details of sex").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".details-of-column")
    page.keyboard.press("Escape")
    page.wait_for_selector(".details-of-column", state="detached")


def test_a_page_of_nobody_says_so(page: Any, server: Server) -> None:
    page.goto(f"{server.base}/projects/000000000000/data")
    page.wait_for_selector("text=There is no such project")
    with server.client() as client:
        assert client.get("/projects/000000000000/data").status_code == 404
        assert json.loads(client.get("/api/projects/000000000000/columns").text)["error"]
