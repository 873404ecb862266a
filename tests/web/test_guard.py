import base64
import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from benches import Server, get


def test_token_is_asked_for(server: Server) -> None:
    for address in ("/", "/projects/000000000000/data", "/static/workbench.css", "/_nicegui_ws/socket.io/"):
        answer = get(server.base + address)
        assert answer.status_code == 403
        assert "with the token at its end" in answer.text
        assert answer.headers["content-type"].startswith("text/html")
    answer = get(f"{server.base}/api/projects")
    assert answer.status_code == 403
    assert "token" in answer.json()["error"]


@pytest.mark.parametrize("wrong", ["x", "ä", "' or 1=1", "%00", "t" * 5000])
def test_wrong_token_is_refused_wherever_it_is(server: Server, wrong: str) -> None:
    assert get(f"{server.base}/api/projects", params={"token": wrong}).status_code == 403
    name = f"sfumato_{server.port}"
    for header in ({"cookie": f"{name}={wrong}"}, {"authorization": f"Bearer {wrong}"}):
        sent = {key: value.encode() for key, value in header.items()}
        assert get(f"{server.base}/api/projects", headers=sent).status_code in (400, 403)


def test_wrong_token_in_the_address_is_refused_even_with_the_cookie(server: Server) -> None:
    with server.client() as client:
        assert client.get("/?token=other").status_code == 403


def test_token_is_taken_once_and_becomes_a_cookie(server: Server) -> None:
    answer = get(f"{server.base}/projects/x/data", params={"run": "a b", "token": server.token})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"sfumato_{server.port}={server.token};")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert 'content="0;url=/projects/x/data?run=a+b"' in answer.text
    assert server.token not in answer.text


SLASHES = (
    "/",
    "//",
    "///",
    "/\\",
    "\\\\",
    "/\\/",
    "//\\",
    "/%2F",
    "/%2f%2f",
    "/%5C",
    "/%5c/",
    "/%09/",
    "/%0a/",
    "/.//",
    "/..//",
    "/;/",
)
ELSEWHERE = (
    "evil.example/",
    "evil.example/..",
    "x@evil.example/",
    "evil.example:80/static/",
    "evil.example/projects/0/data/",
)
WHOLE = (
    "http://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "@evil.example/",
    "*",
    "/projects/0/data/",
    "/api/folder/",
)
INJECTED = (
    "/%0d%0aLocation:%20http://evil.example/",
    "/%0aSet-Cookie:%20x=1",
    "/%22%3E%3Cscript%3E",
    "/%00",
    "/%E2%80%A8//evil.example/",
)
SPELLINGS = (*(before + after for before in SLASHES for after in ELSEWHERE), *WHOLE, *INJECTED)


def test_no_answer_leads_elsewhere(server: Server) -> None:
    """With the token in the address, with the cookie, and with both in the query and the path."""
    led = 0
    for spelling in SPELLINGS:
        for query, headers in (
            (f"?token={server.token}&next=%0d%0aLocation:%20//evil.example/", ""),
            ("?next=//evil.example/", _cookie(server)),
        ):
            head, body = _asked(server, spelling + query, headers)
            targets = re.findall(r'(?:0;url=|href=")([^"]*)"', body) if "refresh" in body else []
            assert all(re.match(r"/(?![/\\])[\x21-\x7e]*$", target) for target in targets), spelling
            for line in head[1:]:
                name, _, value = line.partition(": ")
                assert name.lower() != "location" or value.startswith(f"http://127.0.0.1:{server.port}/"), (
                    spelling
                )
                assert name.lower() != "set-cookie" or value.startswith(f"sfumato_{server.port}="), spelling
            assert "<script>" not in body or not targets
            led += bool(targets)
    assert led > 50


def test_a_browser_that_follows_stays_here(server: Server, browser: Any) -> None:
    asked: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    for spelling in ("///evil.example/", "/\\evil.example/", "/.//evil.example/", "/%09/evil.example/"):
        page.goto(f"{server.base}{spelling}?token={server.token}")
        page.wait_for_selector("text=There is no such page")
        assert page.url.startswith(f"{server.base}/")
    context.close()
    assert asked and all(url.startswith(f"{server.base}/") for url in asked)


def test_scripts_may_use_the_token(server: Server) -> None:
    for how in (
        {"params": {"token": server.token}},
        {"headers": {"authorization": f"Bearer {server.token}"}},
    ):
        answer = get(f"{server.base}/api/projects", **how)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example", ""]
)
def test_foreign_host_is_refused(server: Server, host: str) -> None:
    with server.client() as client:
        answer = client.get("/api/projects", headers={"host": host.format(port=server.port)})
    assert answer.status_code in (400, 403)
    assert "projects" not in answer.text


def test_two_hosts_are_refused(server: Server) -> None:
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    answer = server.raw(
        f"GET /api/projects HTTP/1.1\r\n{host}Host: evil.example\r\n{_cookie(server)}Connection: close\r\n\r\n".encode()
    )
    assert answer.split()[1] in (b"400", b"403")


def test_both_names_of_the_loopback_address_are_ours(server: Server) -> None:
    for name in ("127.0.0.1", "localhost"):
        with server.client(host=f"{name}:{server.port}", origin=f"http://{name}:{server.port}") as client:
            assert client.get("/api/projects").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1"]
)
def test_foreign_origin_is_refused(server: Server, origin: str) -> None:
    with server.client(origin=origin.format(port=server.port)) as client:
        assert client.get("/api/projects").status_code == 403
        assert client.post("/api/projects", json={"path": "people.csv"}).status_code == 403
        assert client.options("/api/projects").status_code == 403
        assert "Another page tried" in client.get("/").text


def test_headers_of_every_answer(server: Server) -> None:
    with server.client() as client:
        for answer in (
            client.get("/"),
            client.get("/api/projects"),
            get(server.base),
            client.get("/nowhere"),
        ):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'self'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "http:" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in answer.headers
            assert "server" not in answer.headers


def test_websocket_is_guarded_like_pages(server: Server) -> None:
    ours = f"http://127.0.0.1:{server.port}"
    assert _handshake(server, origin=ours) == 101
    assert _handshake(server, origin="") == 101  # no browser, but it has the cookie
    assert _handshake(server, origin="http://evil.example") == 403
    assert _handshake(server, origin="null") == 403
    assert _handshake(server, origin=ours, cookie="") == 403
    assert _handshake(server, origin=ours, cookie="Cookie: sfumato_1=x\r\n") == 403
    assert _handshake(server, origin=ours, host="evil.example") == 403
    assert _handshake(server, origin=ours, cookie="", query=f"&token={server.token}") == 403


def test_unknown_pages_and_projects_are_clear(server: Server) -> None:
    with server.client() as client:
        for address in ("/nowhere", "/projects/000000000000/data", "/projects/..%2f..%2fetc/data"):
            answer = client.get(address)
            assert answer.status_code == 404
            assert "There is no such" in answer.text
        for address in ("/api/nowhere", "/api/projects/000000000000", "/api/projects/0/risk"):
            answer = client.get(address)
            assert answer.status_code == 404
            assert "no such" in answer.json()["error"]


def test_only_this_machine_is_listened_to(server: Server) -> None:
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [line[1] for line in lines if line[3] == "0A" and line[1].endswith(f":{server.port:04X}")]
    assert listening == [f"{socket.inet_aton('127.0.0.1')[::-1].hex().upper()}:{server.port:04X}"]


def _asked(server: Server, target: str, headers: str = "") -> tuple[list[str], str]:
    """The lines of the head, and the body, of the answer to a target as it is written."""
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    request = f"GET {target} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"
    head, _, body = server.raw(request.encode("latin-1")).decode("utf-8", "replace").partition("\r\n\r\n")
    return head.split("\r\n"), body


def _cookie(server: Server) -> str:
    return f"Cookie: sfumato_{server.port}={server.token}\r\n"


def _handshake(
    server: Server, *, origin: str, cookie: str | None = None, host: str = "", query: str = ""
) -> int:
    key = base64.b64encode(os.urandom(16)).decode()
    answer = server.raw(
        (
            f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket{query} HTTP/1.1\r\n"
            f"Host: {host or f'127.0.0.1:{server.port}'}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            + (f"Origin: {origin}\r\n" if origin else "")
            + (_cookie(server) if cookie is None else cookie)
            + "\r\n"
        ).encode()
    )
    return int(answer.split()[1])
