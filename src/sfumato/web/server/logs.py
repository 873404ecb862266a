"""What may be logged: where something happened and of which kind, never what it was about.

Messages of other packages may hold an address with its query, or a value of a record inside an error; so only
their place and level are written, and the kind of the error. With SFUMATO_DEBUG=1 everything is.
"""

import logging
import os
import sys

OURS = "sfumato.web"


class Discreet(logging.Formatter):
    """Our own messages as they are; of others only level, logger, place and the kind of the error.

    >>> record = logging.LogRecord("other", logging.WARNING, "x/page.py", 7, "%s not found", ("?q=1",), None)
    >>> Discreet().format(record)
    'WARNING other page.py:7'
    """

    def format(self, record: logging.LogRecord) -> str:
        if os.environ.get("SFUMATO_DEBUG"):
            return super().format(record)
        if record.name.startswith(OURS):
            return f"{record.levelname} {record.getMessage()}"
        kind = record.exc_info[0] if record.exc_info else None
        error = f" {kind.__name__}" if kind else ""
        return f"{record.levelname} {record.name} {record.filename}:{record.lineno}{error}"


def quieten() -> None:
    """Send all logs through the discreet formatter to the error stream, warnings and worse only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "nicegui"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
