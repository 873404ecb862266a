"""One page for the board: what had to be met, what the file is, what else would have done, and lines to sign."""

from collections.abc import Iterator
from typing import Any

from sfumato.jobs import Protection, ReleasedFile
from sfumato.reports._cautions import cautions, unique_shares
from sfumato.reports._page import page
from sfumato.reports.protection import verdict_tiles
from sfumato.version import __version__

MOST = 4  # warnings; the report lists all
SIGNED = ("Prepared by", "Methodology", "Data protection", "Released by")


def board(release: ReleasedFile) -> str:
    """The page as the text of an HTML file; like the report it compares with the original, and stays with the owner."""
    job: Any = release.job
    output = getattr(job, "output", None)
    file = getattr(job, "file", None)
    before, after = unique_shares(release)
    because = release.readiness().get("because", "")
    found = [one for one in cautions(release) if not because or not one.startswith(because)]
    return page(
        "board.html.j2",
        title=output.name if output is not None else "The release",
        source=file.name if file is not None else "",
        records=release.records if isinstance(release, Protection) else release.aligned.n,
        columns=len(release.aligned.names),
        left_out=len(release.original.names) - len(release.aligned.names),
        policy=_policy(release),
        gates=release.gates,
        tiles=[] if release.verdict is None else list(verdict_tiles(release.verdict)),
        unique=(before, after),
        lines=list(_told(release)),
        cautions=found[:MOST],
        more=len(found[MOST:]),
        ready=release.ready,
        because=because,
        signed=SIGNED,
        version=__version__,
    )


def _policy(release: ReleasedFile) -> dict[str, Any]:
    """The policy that held, in words; none for what only balances."""
    if not isinstance(release, Protection):
        return {"title": "", "about": "", "words": []}
    policy = release.terms.policy
    return {"title": policy.title, "about": policy.about, "words": list(policy.sentences())}


def _told(release: ReleasedFile) -> Iterator[str]:
    """What was done and why, and which other ways would have lost more."""
    if isinstance(release, Protection):
        yield from release.explained()
