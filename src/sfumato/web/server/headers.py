"""Headers: those of a request, by name, and those that every answer leaves with."""

from collections.abc import Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from sfumato.web.server.body_limit import Message, Send

Scope = MutableMapping[str, Any]

ASSETS = "/_nicegui/"
HEADERS = {
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def headers_of(scope: Scope) -> dict[str, list[str]]:
    """The headers of a request: each name with all its values."""
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def cookies_of(headers: dict[str, list[str]], name: str) -> Iterable[str]:
    """The values of a cookie."""
    for line in headers.get("cookie", []):
        try:
            cookies = SimpleCookie(line)
        except CookieError:
            continue
        if name in cookies:
            yield cookies[name].value


def with_headers(send: Send, path: str, policy: str) -> Send:
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


def content_policy(hosts: Iterable[str]) -> str:
    """What pages may load: only from here. The pages build their scripts and styles while they run."""
    sockets = " ".join(f"ws://{host}" for host in hosts)
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sockets}; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
