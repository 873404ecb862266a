"""Who leaves before the answer is there: the work on it is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODILESS = ("GET", "HEAD", "DELETE", "OPTIONS")  # what such a request holds is not looked at
GONE: Message = {"type": "http.disconnect"}
NOTHING: Message = {"type": "http.request", "body": b"", "more_body": False}


async def answer_unless_left(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Let an application answer a request; if whoever asked goes away, its work is cancelled."""
    body = _Body(receive, is_empty=scope["method"] in BODILESS)
    work = asyncio.ensure_future(app(scope, body.receive, send))
    watch = asyncio.create_task(body.left())
    try:
        await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        watch.cancel()
        if not work.done():
            work.cancel()
    try:
        await work
    except asyncio.CancelledError:
        if not body.gone.is_set():
            raise


class _Body:
    """The body of a request for the application, and after its end the news that whoever sent it has left."""

    def __init__(self, receive: Receive, *, is_empty: bool) -> None:
        self._receive, self._is_empty = receive, is_empty
        self._complete = asyncio.Event()
        self.gone = asyncio.Event()
        if is_empty:
            self._complete.set()

    async def receive(self) -> Message:
        if self._is_empty:
            self._is_empty = False
            return NOTHING
        if self._complete.is_set():
            await self.gone.wait()
            return GONE
        message = await self._receive()
        if message["type"] == GONE["type"]:
            self.gone.set()
        if not message.get("more_body"):
            self._complete.set()
        return message

    async def left(self) -> None:
        """Wait until whoever asked has left."""
        await self._complete.wait()
        while not self.gone.is_set():
            if (await self._receive())["type"] == GONE["type"]:
                self.gone.set()
