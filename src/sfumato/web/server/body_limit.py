"""How long the body of a request may be: it is counted as it comes in, and cut off."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST_LEFT_OVER = 16 * 2**20  # bytes of a refused body that are read all the same
PATIENCE = 1.0  # seconds to wait for them


class BodyLimit:
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


async def read_away(receive: Receive) -> None:
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
