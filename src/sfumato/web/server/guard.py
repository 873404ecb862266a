"""The guard at the door: whose requests are let in, with which headers answers leave, and how long a body may be.

The server listens on the loopback address only; but any page that is open in the same browser can send requests
there. So the host must be ours (a foreign name may point here), the origin must be ours if there is one, and
every request carries the token that was printed when the server started: once in the address, then in a cookie.
"""

import asyncio
import hmac
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from sfumato.core.quantities import Size
from sfumato.web.server.departure import App, Message, Receive, Scope, Send, answer_unless_left
from sfumato.web.server.refusal import Refusal, page

UPLOADS = "/api/uploads"
MOST_ELSEWHERE = 4 * 2**20  # bytes of a request that is no upload
MOST_LEFT_OVER = 16 * 2**20  # bytes of a refused body that are read all the same
PATIENCE = 1.0  # seconds to wait for them
ASSETS = "/_nicegui/"
HEADERS = {
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

FOREIGN_HOST = Refusal(
    403, "Not this address", "The workbench answers only at the address that sfumato web printed."
)
FOREIGN_ORIGIN = Refusal(
    403,
    "Not from there",
    "Another page tried to use the workbench: open the address that sfumato web printed.",
)
NO_TOKEN = Refusal(
    403,
    "The token is missing or wrong",
    "Open the whole address that sfumato web printed when it started, with the token at its end.",
)


class Guard:
    """Lets in who has the token and comes from here; everybody else gets a page that says why not."""

    def __init__(self, app: App, *, token: str, port: int, most_upload: int) -> None:
        self.app = app
        self.token = token
        self.most_upload = most_upload
        self.cookie = f"sfumato_{port}"  # cookies know no ports: two servers must not take each other's
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.origins = tuple(f"http://{host}" for host in self.hosts)
        self.policy = _content_policy(self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        refusal = self._refusal(scope, headers, dict(query))
        if refusal is None:
            await self._admit(scope, query, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})  # never accepted: the server answers 403
        else:
            await self._refuse(refusal, scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers, query: dict[str, str]) -> Refusal | None:
        if headers.getlist("host") not in ([host] for host in self.hosts):
            return FOREIGN_HOST
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return FOREIGN_ORIGIN
        if not self._has_token(scope, headers, query):
            return NO_TOKEN
        lengths = headers.getlist("content-length")
        if any(not length.isdigit() or int(length) > self._most(scope) for length in lengths):
            return self._too_large(scope)
        return None

    def _has_token(self, scope: Scope, headers: Headers, query: dict[str, str]) -> bool:
        if "token" in query and scope["type"] == "http":
            return self._is_token(query["token"])
        for line in headers.getlist("authorization"):
            return self._is_token(line.removeprefix("Bearer "))
        return any(self._is_token(value) for value in _cookies_of(headers, self.cookie))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    async def _admit(self, scope: Scope, query: list[tuple[str, str]], receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        if any(name == "token" for name, _ in query):
            # nothing behind the guard, such as a log, ever sees the token
            scope["query_string"] = urlencode([pair for pair in query if pair[0] != "token"]).encode()
            if not _is_api(scope):
                await self._welcome(scope, send)
                return
        body = _BodyLimit(receive, _with_headers(send, scope["path"], self.policy), self._most(scope))
        with suppress(ClientDisconnect):  # who left waits for no answer
            await answer_unless_left(self.app, scope, body.receive, body.send)
        if body.overflowed and not body.answered:
            await self._refuse(self._too_large(scope), scope, receive, send)

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """Give the cookie and go on to the same page without the token.

        A page that leads on, not a redirect: after a click on a link elsewhere, a browser would not send a
        strict cookie along with a redirect.
        """
        query = scope["query_string"].decode("latin-1")
        target = escape(own_path(scope["path"]) + (f"?{query}" if query else ""))
        head = f'<meta http-equiv="refresh" content="0;url={target}">'
        body = page("sfumato", f'<p><a href="{target}">Go on to the workbench</a></p>', head).encode()
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        await self._answer(scope, send, 200, "text/html; charset=utf-8", body, [("set-cookie", cookie)])

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        async def answered(message: Message) -> None:
            if message["type"] == "http.response.body":
                await send({**message, "more_body": True})  # the connection stays open until all is read
                await _read_away(receive)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        kind, body = refusal.answer(as_json=_is_api(scope))
        await self._answer(scope, answered, refusal.status, kind, body, [("connection", "close")])

    async def _answer(
        self, scope: Scope, send: Send, status: int, kind: str, body: bytes, extra: list[tuple[str, str]]
    ) -> None:
        named = [("content-type", kind), ("content-length", str(len(body))), *extra]
        headers = [(name.encode(), value.encode("latin-1")) for name, value in named]
        send = _with_headers(send, scope["path"], self.policy)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _most(self, scope: Scope) -> int:
        return self.most_upload if scope["path"] == UPLOADS else MOST_ELSEWHERE

    def _too_large(self, scope: Scope) -> Refusal:
        most = Size(self._most(scope))
        return Refusal(
            413,
            "Too large",
            f"An upload may have at most {most}: put the file into the folder and open it from there.",
        )


def own_path(path: str) -> str:
    r"""A path as an address on this server, whatever was asked for: browsers read `//host` and `/\host` as others.

    >>> own_path("///evil.example/"), own_path("/\\evil.example"), own_path("http://evil.example")
    ('/evil.example/', '/%5Cevil.example', '/http%3A//evil.example')
    """
    return "/" + quote(path.lstrip("/"))


def _is_api(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/api/"))


class _BodyLimit:
    """Counts what comes in, and cuts it off when it is too much."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._left = receive, send, most
        self.overflowed = self.answered = False

    async def receive(self) -> Message:
        """The next piece, or that the connection is over if it was one too many."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.overflowed = True
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        """Pass on an answer, unless the body was cut off before there was one."""
        if not self.overflowed or self.answered:  # what the application says about a cut body is of no use
            self.answered = True
            await self._send(message)


async def _read_away(receive: Receive) -> None:
    """Take in what is still on its way of a body that was refused, within limits.

    Who is still sending when a connection is closed does not see the answer.
    """
    left = MOST_LEFT_OVER
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


def _cookies_of(headers: Headers, name: str) -> Iterable[str]:
    for line in headers.getlist("cookie"):
        try:
            cookies = SimpleCookie(line)
        except CookieError:
            continue
        if name in cookies:
            yield cookies[name].value


def _with_headers(send: Send, path: str, policy: str) -> Send:
    """Send answers with our headers in the place of others of the same names."""
    fixed = {**HEADERS, "content-security-policy": policy}
    if not path.startswith(ASSETS):
        fixed["cache-control"] = "no-store"
    lines = [(name.encode(), value.encode()) for name, value in fixed.items()]
    names = {name for name, _ in lines}

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [line for line in message.get("headers", []) if line[0].lower() not in names]
            message["headers"] = [*kept, *lines]
        await send(message)

    return sent


def _content_policy(hosts: Iterable[str]) -> str:
    """What pages may load: only from here. The pages build their scripts and styles while they run."""
    sockets = " ".join(f"ws://{host}" for host in hosts)
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sockets}; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
