"""The guard at the door: whose requests are let in, with which headers answers leave, and how long a body may be.

The server listens on the loopback address only; but any page that is open in the same browser can send requests
there. So the host must be ours (a foreign name may point here), the origin must be ours if there is one, and
every request carries the token that was printed when the server started: once in the address, then in a cookie.
"""

import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.requests import ClientDisconnect

from sfumato.web.server.body_limit import BodyLimit, Message, Receive, Send, read_away
from sfumato.web.server.headers import Scope, content_policy, cookies_of, headers_of, with_headers
from sfumato.web.server.refusal import Refusal, page

App = Callable[[Scope, Receive, Send], Awaitable[None]]

UPLOADS = "/api/uploads"
MOST_ELSEWHERE = 4 * 2**20  # bytes of a request that is no upload

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
        self.policy = content_policy(self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = headers_of(scope)
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        refusal = self._refusal(scope, headers, dict(query))
        if refusal is None:
            await self._admit(scope, query, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._refuse(refusal, scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]], query: dict[str, str]) -> Refusal | None:
        if headers.get("host", []) not in ([host] for host in self.hosts):
            return FOREIGN_HOST
        if any(origin not in self._origins for origin in headers.get("origin", [])):
            return FOREIGN_ORIGIN
        if not self._has_token(scope, headers, query):
            return NO_TOKEN
        lengths = headers.get("content-length", ["0"])
        if any(not length.isdigit() or int(length) > self._most(scope) for length in lengths):
            return self._too_large(scope)
        return None

    @property
    def _origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)

    def _has_token(self, scope: Scope, headers: dict[str, list[str]], query: dict[str, str]) -> bool:
        if "token" in query and scope["type"] == "http":
            return self._is_token(query["token"])
        for line in headers.get("authorization", []):
            return self._is_token(line.removeprefix("Bearer "))
        return any(self._is_token(value) for value in cookies_of(headers, self.cookie))

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
        body = BodyLimit(receive, with_headers(send, scope["path"], self.policy), self._most(scope))
        with suppress(ClientDisconnect):  # who left waits for no answer
            await self.app(scope, body.receive, body.send)
        if body.overflowed and not body.answered:
            await self._refuse(self._too_large(scope), scope, receive, send)

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """Give the cookie and go on to the same page without the token.

        A page that leads on, not a redirect: after a click on a link elsewhere, a browser would not send a
        strict cookie along with a redirect.
        """
        query = scope["query_string"].decode("latin-1")
        target = escape(scope["path"].replace("//", "/") + (f"?{query}" if query else ""))
        head = f'<meta http-equiv="refresh" content="0;url={target}">'
        body = page("sfumato", f'<p><a href="{target}">Go on to the workbench</a></p>', head).encode()
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        await self._answer(scope, send, 200, "text/html; charset=utf-8", body, [("set-cookie", cookie)])

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        async def answered(message: Message) -> None:
            if message["type"] == "http.response.body":
                await send({**message, "more_body": True})  # the connection stays open until all is read
                await read_away(receive)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        kind, body = refusal.answer(as_json=_is_api(scope))
        await self._answer(scope, answered, refusal.status, kind, body, [("connection", "close")])

    async def _answer(
        self, scope: Scope, send: Send, status: int, kind: str, body: bytes, extra: list[tuple[str, str]]
    ) -> None:
        named = [("content-type", kind), ("content-length", str(len(body))), *extra]
        headers = [(name.encode(), value.encode("latin-1")) for name, value in named]
        send = with_headers(send, scope["path"], self.policy)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _most(self, scope: Scope) -> int:
        return self.most_upload if scope["path"] == UPLOADS else MOST_ELSEWHERE

    def _too_large(self, scope: Scope) -> Refusal:
        most = self._most(scope) / 2**20
        return Refusal(
            413,
            "Too large",
            f"An upload may have at most {most:,.4g} MB: put the file into the folder and open it from there.",
        )


def _is_api(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/api/"))
