import json
from pathlib import Path
from typing import Any

from benches import Server, visiting, write_people

from sfumato.data import Schema

PLANTED = ("Zebedee", "Quintilla", "987654321")
QUERY = "query-of-nobody"


def test_nothing_that_people_or_files_say_is_logged(tmp_path: Path, browser: Any) -> None:
    rows = "".join(f"Zebedee{i},{987654321 + i},town{i % 3}\n" for i in range(40))
    (tmp_path / "people.csv").write_text(f"name,income,town\n{rows}")
    (tmp_path / "bad.csv").write_text('a,b\nQuintilla,987654321\n"Zebedee,1,2\n')
    with Server(tmp_path) as server:
        id = server.open("people.csv")
        said = _trouble(server, id)
        with visiting(browser, server) as page:
            page.goto(f"{server.base}/projects/{id}/data?{QUERY}=Zebedee")
            page.wait_for_selector("text=40 records")
        status, out, errors = server.stop()
    assert status == 0
    assert out == f"Open {server.address} in a browser; Ctrl-C ends it, runs go on.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sfumato", "bad.csv", "people.csv"]
    for secret in (*PLANTED, QUERY, server.token):
        assert secret not in errors
    for secret in PLANTED:
        assert secret not in said
    assert "Traceback" not in errors


def test_what_nobody_foresaw_is_told_without_a_word_of_it(tmp_path: Path) -> None:
    write_people(tmp_path / "people.csv")
    with Server(tmp_path) as server:
        id = server.open("people.csv")
        path = server.home / "projects" / id / "project.json"
        facts = json.loads(path.read_text())
        path.write_text(json.dumps({**facts, "name": ["Zebedee"], "created": "Quintilla"}))
        with server.client() as client:
            page, listed = client.get(f"/projects/{id}/data"), client.get("/api/projects")
        _, _, errors = server.stop()
    assert (page.status_code, listed.status_code) == (500, 500)
    assert (
        "Something unexpected failed" in page.text and "Something unexpected failed" in listed.json()["error"]
    )
    for word in ("Zebedee", "Quintilla", "attribute", "operand", "Traceback"):
        assert word not in page.text + listed.text + errors
    assert "AttributeError" in errors and "TypeError" in errors


def _trouble(server: Server, id: str) -> str:
    """Ask for what goes wrong in every way; all that was answered."""
    toml = Schema.from_toml('[attributes.a]\nscale = "nominal"\ncategories = ["x"]').to_toml()
    with server.client() as client:
        answers = [
            client.get(f"/nowhere?{QUERY}=Zebedee"),
            client.get(f"/api/nowhere?{QUERY}=Zebedee"),
            client.get(f"/?token={server.token[:-1]}&{QUERY}=1"),
            client.get(f"/api/projects/{id}/risk?keys={QUERY}"),
            client.get(f"/api/projects/{id}/schema?changes={QUERY}"),
            client.post("/api/projects", json={"path": "bad.csv"}),
            client.post(
                "/api/uploads", params={"name": "bad.csv"}, content=(server.folder / "bad.csv").read_bytes()
            ),
            client.put(f"/api/projects/{id}/schema.toml", content=toml),
            client.put(f"/api/projects/{id}/schema.toml", content=b"\xffZebedee"),
        ]
    assert [answer.status_code for answer in answers] == [404, 404, 403, 422, 422, 422, 422, 422, 422]
    return "".join(answer.text for answer in answers)
