"""What is sent to somebody who is refused: a short page that says why and what to do, or the same as JSON."""

import json
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light dark }
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { font: 500 1.6rem/1.3 Georgia, serif }
"""


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused: the status, what happened, and one sentence with the rule and the way out."""

    status: int
    title: str
    sentence: str

    def answer(self, *, as_json: bool) -> tuple[str, bytes]:
        """The type and the bytes of the answer.

        >>> Refusal(404, "Not found", "There is no such page.").answer(as_json=True)
        ('application/json', b'{"error": "There is no such page."}')
        """
        if as_json:
            return "application/json", json.dumps({"error": self.sentence}).encode()
        return "text/html; charset=utf-8", page(self.title, f"<p>{escape(self.sentence)}</p>").encode()


def page(title: str, body: str, head: str = "") -> str:
    """A small page that needs nothing else."""
    return (
        '<!doctype html><html lang="en-GB"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · sfumato</title>{head}<style>{STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
