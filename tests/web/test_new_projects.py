import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import Server, wait_until

from sfumato.data.files.graph_files import write_graph
from sfumato.datasets import profile_graph


@pytest.fixture
def small(server: Server) -> Iterator[Server]:
    """The server, which takes at most 1 MB; whatever a test uploads, it is gone at the end."""
    earlier = server.projects()
    yield server
    wait_until(lambda: server.projects() == earlier)


def _upload(server: Server, name: str, body: bytes, **options: str):
    with server.client() as client:
        return client.post("/api/uploads", params={"name": name, **options}, content=body)


def test_an_upload_becomes_a_project(small: Server) -> None:
    text = (small.folder / "people.csv").read_bytes()
    answer = _upload(small, "people.csv", text)
    assert answer.status_code == 200
    found = answer.json()
    assert found["address"] == f"/projects/{found['id']}/data"
    stored = small.home / "projects" / found["id"] / "data.csv"
    assert stored.read_bytes() == text
    with small.client() as client:
        assert client.get(f"/api/projects/{found['id']}/columns").json()["records"] == 240
        assert client.delete(f"/api/projects/{found['id']}").status_code == 200


def test_a_graph_is_uploaded_like_a_table(small: Server, tmp_path: Path) -> None:
    write_graph(profile_graph(40, seed=1), tmp_path / "people.graphml")
    answer = _upload(small, "people.graphml", (tmp_path / "people.graphml").read_bytes())
    assert answer.status_code == 200
    found = answer.json()
    assert found["address"] == f"/projects/{found['id']}/graphs"
    with small.client() as client:
        assert client.delete(f"/api/projects/{found['id']}").status_code == 200


def test_reading_options_are_kept(small: Server) -> None:
    answer = _upload(
        small, "x.csv", "1;ä\n2;ö\n".encode("latin-1"), delimiter=";", encoding="latin-1", header="no"
    )
    with small.client() as client:
        columns = client.get(f"/api/projects/{answer.json()['id']}/columns").json()["columns"]
        client.delete(f"/api/projects/{answer.json()['id']}")
    assert [column["name"] for column in columns] == ["c1", "c2"]
    assert columns[1]["categories"] == ["ä", "ö"]


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("bad.csv", b"a,b\n1\n2,3,4\n", "bad.csv, row 1: 2 cells expected"),
        ("bad.csv", b'a,b\n1,"2\n', "bad.csv"),
        ("bad.csv", b"a,a\n1,2\n", "a"),
        ("bad.csv", b"a,b\n\xff\xfe,2\n", "bad.csv"),
        ("empty.csv", b"", "empty"),
        ("nothing.csv", b"\n\n", "empty"),
        ("bad.parquet", b"PAR1 but not really", "bad.parquet"),
        ("bad.sav", b"$FL2 but not really", "bad.sav"),
        ("page.html", b"<html>", "known suffixes"),
        ("none", b"a\n1\n", "known suffixes"),
        ("", b"a\n1\n", "needs a name"),
        ("extract.dat", b"11\n22\n", "codebook"),
        ("bad.graphml", b"<graphml><graph>", "bad.graphml"),
        ("bad.jsonl", b"{not json\n", "bad.jsonl"),
    ],
)
def test_what_is_no_table_is_refused_and_leaves_nothing(
    small: Server, name: str, body: bytes, sentence: str
) -> None:
    answer = _upload(small, name, body)
    assert answer.status_code in (404, 422)
    assert sentence in answer.json()["error"]
    assert str(small.home) not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        "päö 'quoted' \"x\".csv",
        "../../etc/passwd.csv",
        "a\nb\t.csv",
        "𝔭𝔢𝔬𝔭𝔩𝔢.CSV",
        "x" * 400 + ".csv",
        "%2e%2e.csv",
    ],
)
def test_odd_names_are_only_shown(small: Server, name: str) -> None:
    answer = _upload(small, name, b"a,b\n1,2\n2,3\n")
    assert answer.status_code == 200
    found = answer.json()
    assert "/" not in found["name"] and len(found["name"]) <= 120
    folder = small.home / "projects" / found["id"]
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "project.json"]
    with small.client() as client:
        client.delete(f"/api/projects/{found['id']}")


def test_a_large_upload_is_refused_before_it_is_sent(small: Server) -> None:
    answer = small.raw(_head(small, f"Content-Length: {50 * 2**20}\r\n"))
    assert b" 413 " in answer
    assert b"at most 1 MB" in answer


def test_a_large_upload_of_unknown_length_is_cut_off(small: Server) -> None:
    sent, piece = 0, b"10000\r\n" + b"1,2\n" * 2**14 + b"\r\n"
    with socket.create_connection(("127.0.0.1", small.port), timeout=300) as connection:
        connection.sendall(_head(small, "Transfer-Encoding: chunked\r\n"))
        answer = b""
        try:
            for _ in range(2000):  # 125 MB, if nobody stopped it
                connection.sendall(piece)
                sent += len(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        else:
            answer = connection.recv(4096)
            assert b" 413 " in answer
    assert sent < 60 * 2**20


def test_an_upload_that_breaks_off_leaves_nothing(small: Server) -> None:
    earlier = len(small.projects())
    with socket.create_connection(("127.0.0.1", small.port), timeout=300) as connection:
        connection.sendall(_head(small, "Content-Length: 100000\r\n") + b"a,b\n1,2\n")
        wait_until(lambda: len(small.projects()) == earlier + 1)


def test_other_requests_are_short(small: Server) -> None:
    with small.client() as client:
        assert client.post("/api/projects", content=b" " * 5 * 2**20).status_code == 413
        for body in (b"{", b"[]", b"\xff"):
            answer = client.post("/api/projects", content=body)
            assert (answer.status_code, answer.json()["error"]) == (422, "The request must be a JSON object.")


def _head(server: Server, length: str) -> bytes:
    return (
        f"POST /api/uploads?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Cookie: sfumato_{server.port}={server.token}\r\n{length}\r\n"
    ).encode()
