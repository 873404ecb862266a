"""Questions that take long or much: bounded, several at a time, and stopped when nobody waits for them."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benches import Server, visiting, wait_until, write_people

from sfumato.core import Cancelled, DataError
from sfumato.web.bench import Bench, Visit
from sfumato.web.questions.process.question_pool import MOST_PROCESSES, QuestionPool
from sfumato.web.workspace import Workspace

KEYS = tuple(f"k{number}" for number in range(9))  # all their pairs and triples take minutes to count


def write_heavy(path: Path, n: int = 400_000) -> None:
    rng = np.random.default_rng(1)
    pq.write_table(pa.table({name: rng.integers(0, 40, n) for name in KEYS}), path)


def write_huge(path: Path, n: int) -> None:
    """So many records with the same value, which take next to nothing on disk."""
    piece = pa.table({"x": pa.array(np.full(10**6, 7))})
    with pq.ParquetWriter(path, piece.schema, compression="zstd") as writer:
        for _ in range(n // len(piece)):
            writer.write_table(piece)


def question_processes(server: Server) -> list[int]:
    found = []
    for task in Path(f"/proc/{server.process.pid}/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return [
        pid
        for pid in found
        if b"spawn_main" in _read(pid, "cmdline") and b"\nState:\tZ" not in _read(pid, "status")
    ]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _most_memory(pid: int) -> int:
    (line,) = [line for line in _read(pid, "status").splitlines() if line.startswith(b"VmHWM")]
    return 1024 * int(line.split()[1])


def _seconds(pid: int) -> float:
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100 if fields else 0.0


def ask_raw(server: Server, address: str) -> socket.socket:
    """Ask, and do not wait."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=300)
    connection.sendall(
        f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Cookie: sfumato_{server.port}={server.token}\r\n\r\n".encode()
    )
    return connection


def _is_answered(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


@pytest.mark.parametrize("records", [20_000_000, pytest.param(200_000_000, marks=pytest.mark.slow)])
def test_a_small_file_with_a_huge_table_is_refused_by_its_footer(tmp_path: Path, records: int) -> None:
    write_huge(tmp_path / "huge.parquet", records)
    body = (tmp_path / "huge.parquet").read_bytes()
    assert len(body) < 2**20
    write_people(tmp_path / "people.csv")
    with Server(tmp_path, "--memory", "1200MB") as server, server.client() as client:
        server.open("people.csv")
        answer = client.post("/api/uploads", params={"name": "huge.parquet"}, content=body)
        (pid,) = question_processes(server)
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(f"huge.parquet has {records:,} records, which may take ")
        assert "a page may use 400 MB: use the command line" in answer.json()["error"]
        assert _most_memory(pid) < 600 * 10**6
        assert client.post("/api/projects", json={"path": "huge.parquet"}).status_code == 422
        assert len(server.projects()) == 1


@pytest.mark.slow
def test_what_turns_out_to_take_too_much_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "narrow.csv").write_bytes(b"a\n" + b"1\n" * 16_000_000)
    write_people(tmp_path / "people.csv")
    with Server(tmp_path, "--memory", "540MB") as server, server.client() as client:
        answer = client.post("/api/projects", json={"path": "narrow.csv"})
        assert answer.status_code == 422
        assert "narrow.csv takes more than the 180 MB that a page may use" in answer.json()["error"]
        server.open("people.csv")


def test_heavy_questions_leave_room_for_others_and_end_with_whoever_asked(tmp_path: Path) -> None:
    write_heavy(tmp_path / "heavy.parquet")
    write_people(tmp_path / "people.csv")
    with Server(tmp_path) as server, server.client() as client:
        heavy = server.open("heavy.parquet")
        addresses = [f"/api/projects/{heavy}/risk?keys={','.join(KEYS[:count])}" for count in (9, 8, 7)]
        with ExitStack() as connections:
            asked = [connections.enter_context(ask_raw(server, address)) for address in addresses]
            wait_until(lambda: len(question_processes(server)) == MOST_PROCESSES - 1)
            at_work = question_processes(server)
            people = server.open("people.csv")
            assert client.get(f"/api/projects/{people}/risk").json()["records"] == 240
            assert not any(map(_is_answered, asked))
        wait_until(lambda: not set(at_work) & set(question_processes(server)))
        assert client.get(f"/api/projects/{people}/columns").json()["records"] == 240
        _, _, errors = server.stop()
    assert errors == ""


def test_a_page_that_is_left_stops_its_question_and_so_does_another_one(tmp_path: Path, browser: Any) -> None:
    write_heavy(tmp_path / "heavy.parquet")
    with Server(tmp_path) as server:
        heavy = server.open("heavy.parquet")
        with server.client() as client:
            toml = client.get(f"/api/projects/{heavy}/schema.toml").text
            client.put(f"/api/projects/{heavy}/schema.toml", content=toml.replace('"key"', '"other"'))
        with visiting(browser, server) as page:
            page.goto(f"{server.base}/projects/{heavy}/risk")
            page.wait_for_selector("text=No key is chosen")
            for name in KEYS:
                page.get_by_label(name, exact=True).check()
            wait_until(lambda: len(question_processes(server)) <= MOST_PROCESSES - 1)
            wait_until(lambda: any(_seconds(pid) > 0.5 for pid in question_processes(server)))
            first = question_processes(server)
            page.get_by_label(KEYS[0], exact=True).uncheck()
            wait_until(lambda: not set(first) <= set(question_processes(server)))
            second = question_processes(server)
            page.goto(server.base)
            wait_until(lambda: not set(second) <= set(question_processes(server)))
            page.wait_for_selector("text=Open a file")


def test_questions_of_one_visit_supersede_each_other_and_can_be_dropped(tmp_path: Path) -> None:
    write_heavy(tmp_path / "heavy.parquet", n=100_000)
    workspace, questions = Workspace(tmp_path), QuestionPool()

    async def asked() -> list[Any]:
        bench = Bench(workspace=workspace, questions=questions, most_upload=1)
        visit = Visit(bench=bench, project=workspace.open_file("heavy.parquet"))
        first = asyncio.create_task(visit.ask("risk", {"keys": list(KEYS)}))
        await asyncio.sleep(0)
        second = asyncio.create_task(visit.ask("risk", {"keys": list(KEYS[:8])}))
        layout = await visit.ask("layout")
        visit.drop()
        return [layout, *await asyncio.gather(first, second, return_exceptions=True)]

    with ThreadPoolExecutor(1) as thread:
        layout, first, second = thread.submit(asyncio.run, asked()).result()
    questions.close()
    assert layout["records"] == 100_000
    assert isinstance(first, Cancelled) and isinstance(second, Cancelled)


def test_sizes_are_checked_for_every_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_bytes(b"a,b\n" + b"1,2\n" * 100_000)
    (tmp_path / "large.graphml").write_bytes(b"<graphml>" + b" " * 400_000)
    workspace, questions = Workspace(tmp_path), QuestionPool(memory=3_000_000)

    async def refused(name: str, question: str) -> str:
        with pytest.raises(DataError, match="of memory, and a page may use 1 MB") as error:
            await questions.ask(question, workspace.open_file(name))
        return str(error.value)

    with ThreadPoolExecutor(1) as thread:
        for name, question in (("large.csv", "columns"), ("large.graphml", "graph")):
            assert thread.submit(asyncio.run, refused(name, question)).result().startswith(name)
    questions.close()
