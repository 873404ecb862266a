"""How long the body of a request may be: it is counted as it comes in, and cut off."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class BodyLimit:
    """Counts what comes in, and cuts it off when it is too much."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._left = receive, send, most
        self.overflowed = self.answered = self.gone = False

    async def receive(self) -> Message:
        """The next piece, or that the connection is over if it was one too many."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.overflowed = self.gone = True
            return {"type": "http.disconnect"}
        self.gone = self.gone or message["type"] == "http.disconnect"
        return message

    async def send(self, message: Message) -> None:
        """Pass on an answer, unless the body was cut off before there was one."""
        if not self.overflowed or self.answered:  # what the application says about a cut body is of no use
            self.answered = True
            await self._send(message)
