"""Starting a workbench and a browser for tests, and files for it to open."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TOWNS = ("Arezzo", "Bari", "Como", "Desio")


def write_people(path: Path, n: int = 240) -> None:
    """People with an identifier, two categorical keys, a numeric one, an income with a code, and a health."""
    lines = ["person_id,sex,town,age,income,health"]
    for i in range(n):
        income = "refused" if i % 17 == 0 else str(1000 + 37 * i % 2900)
        lines.append(
            f"p{i:05d},{'fm'[i % 2]},{TOWNS[(i * i) % 4]},{18 + (11 * i) % 67},{income},{'good' if i % 3 else 'bad'}"
        )
    path.write_text("\n".join(lines) + "\n")


class Server:
    """A workbench in a process of its own, started as people start it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.home = folder / ".sfumato"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sfumato", "web", "--folder", str(folder), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+))/\?token=(\S+)", self.line)
        if found is None:
            self.process.kill()
            raise AssertionError(self.process.communicate()[1])
        self.base, self.port, self.token = found[1], int(found[2]), found[3]
        self.address = found[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()

    def stop(self) -> tuple[int, str, str]:
        """End it with Ctrl-C; the status, and all it wrote."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=300)
        return self.process.returncode, self.line + out, errors

    def client(self, **headers: str) -> httpx.Client:
        """Somebody who has the cookie."""
        cookies = {f"sfumato_{self.port}": self.token}
        return httpx.Client(base_url=self.base, cookies=cookies, headers=headers, timeout=300, verify=False)

    def open(self, below: str) -> str:
        """Open a file of the folder; the id of the project."""
        with self.client() as client:
            answer = client.post("/api/projects", json={"path": below})
        assert answer.status_code == 200, answer.text
        id: str = answer.json()["id"]
        return id

    def raw(self, request: bytes, *, most: int = 1 << 16, timeout: float = 60) -> bytes:
        """What is answered to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(request)
            answer = b""
            while len(answer) < most:
                try:
                    piece = connection.recv(4096)
                except ConnectionResetError:
                    break
                if not piece:
                    break
                answer += piece
                if b"101 Switching" in answer:
                    break
        return answer

    def projects(self) -> list[str]:
        """The folders of projects there are, finished or not."""
        return sorted(path.name for path in (self.home / "projects").iterdir() if path.is_dir())


def get(address: str, **options: Any) -> httpx.Response:
    """What somebody without the cookie is answered."""
    with httpx.Client(verify=False, timeout=300) as client:  # no certificates, which take long to read
        return client.get(address, **options)


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser; tests are skipped where it is not installed."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed: install the package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Any, server: Server, **options: Any) -> Iterator[Any]:
    """A page of the workbench in a browser without history; whoever asks another machine fails the test."""
    context = browser.new_context(viewport={"width": 1366, "height": 850}, **options)
    context.set_default_timeout(300_000)  # a busy machine may have to compile first
    page = context.new_page()
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector("h1")
    page.wait_for_url(f"{server.base}/")
    try:
        yield page
    finally:
        context.close()
    assert not failed
    elsewhere = [url for url in asked if not url.startswith((server.base, "data:", "blob:"))]
    assert not elsewhere
    assert any(url.endswith(".css") for url in asked)


def wait_until(true: Any, seconds: float = 300) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def check_nothing_is_wider(page: Any, width: int) -> None:
    """The page fits the window, which charts follow a moment later than it changes."""
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
