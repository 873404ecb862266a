"""The socket of the server: it and the address are there at once; who comes early waits until the pages are ready."""

import secrets
import socket
from dataclasses import dataclass

from sfumato.core import FileError

LOOPBACK = "127.0.0.1"
WAITING = 128  # connections that may wait


@dataclass(frozen=True)
class LoopbackSocket:
    """A socket on the loopback address, and the token that whoever uses it must have."""

    socket: socket.socket
    token: str

    @property
    def port(self) -> int:
        """The port that was given, or the free one that was found."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"


def listen(port: int) -> LoopbackSocket:
    """Listen on the loopback address; port 0 is any that is free."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(WAITING)
    except OSError as error:
        listening.close()
        cause = (error.strerror or "refused").lower()
        raise FileError(f"Port {port} cannot be used ({cause}): give another one, or none.") from None
    return LoopbackSocket(listening, secrets.token_urlsafe(24))
