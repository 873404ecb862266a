"""The loop of the question process: it waits for questions, answers them one after the other, and ends with its parent."""

import json
import signal
from multiprocessing.connection import Connection
from typing import Any

from sfumato.core import SfumatoError
from sfumato.web import folder_registry
from sfumato.web.questions.process.project_data import ProjectData, RecentCache
from sfumato.web.questions.process.project_state import ProjectState


def answer_all(connection: Connection) -> None:
    """Answer until the other end of the connection is closed, as it is when the server ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the connection
    kept = RecentCache()
    _warm()
    while True:
        try:
            question, subject, arguments = connection.recv()
            connection.send(_answer(question, ProjectData(subject, kept), arguments))
        except (EOFError, ConnectionError):
            return


def _answer(question: str, held: ProjectData, arguments: dict[str, Any]) -> tuple[str, str]:
    """How it went ("answer", "refused", "failed"), and the answer as JSON or a sentence."""
    try:
        found = folder_registry.question(question)(held, arguments)
        return "answer", json.dumps(found, ensure_ascii=False, allow_nan=False)
    except SfumatoError as error:
        return "refused", _by_name(str(error), held.subject)
    except MemoryError:
        return "refused", f"{held.subject.name} is too large for the memory of this machine."
    except Exception as error:  # its message may hold a record's value: only its kind is told
        return "failed", type(error).__name__


def _by_name(sentence: str, subject: ProjectState) -> str:
    """The sentence with the file called as people call it; where it is stored is nobody's business."""
    return sentence.replace(str(subject.path), subject.name)


def _warm() -> None:
    """Import what nearly every question needs while nobody waits yet."""
    import sfumato.jobs.attack
    import sfumato.jobs.describe
    import sfumato.plots  # noqa: F401
