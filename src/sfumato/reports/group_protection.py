"""The report on a hidden group: one self-contained page for the owner, who alone may see it."""

from collections.abc import Iterator
from typing import Any

from sfumato.jobs import Job
from sfumato.jobs.groups.protect import GroupProtection, GroupsProtect
from sfumato.jobs.groups.report import GroupComparison, GroupsReport
from sfumato.plots.group_comparison import group_comparison
from sfumato.reports._page import page, svg
from sfumato.version import __version__

RULES_SHOWN = 12


def group_protection(result: GroupProtection | GroupComparison, job: Job | None = None) -> str:
    """The page as a text: the signals before and after, what was altered, and, of a protection, how."""
    protection = result if isinstance(result, GroupProtection) else None
    comparison = result.comparison if isinstance(result, GroupProtection) else result
    truth = protection.truth if protection is not None else None
    rules = () if result.model is None else result.model.sentences
    described = "The signal before (solid) and after (dashed), with its outliers"
    return page(
        "group_protection.html.j2",
        c=comparison,
        p=protection,
        truth=truth,
        groups=[] if protection is None else [*_others(protection)],
        **_heading(job),
        rows=_rows(comparison),
        sentences=rules[:RULES_SHOWN],
        more=max(len(rules) - RULES_SHOWN, 0),
        figure=svg(group_comparison(comparison), "signals", described),
        figures=[svg(group_comparison(one), "signals", described) for one in comparison.others if one.about],
        truth_figure=None if truth is None else svg(group_comparison(truth), "truth", described),
        version=__version__,
    )


def _others(protection: GroupProtection) -> Iterator[dict[str, Any]]:
    """The other groups that the same swaps hide, each with its picture."""
    for one in protection.others:
        described = f"The signal of {one.about} before (solid) and after (dashed), with its outliers"
        yield {"of": one, "figure": svg(group_comparison(one.comparison), "signals", described)}


def _heading(job: Job | None) -> dict[str, str]:
    title, source = "Group anonymity report", None
    if isinstance(job, GroupsProtect):
        source = job.file
        title += f": {job.output.name}" if job.output is not None else ""
    elif isinstance(job, GroupsReport):
        source = job.original
    return {"title": title, "source": source.name if source is not None else ""}


def _rows(comparison: GroupComparison) -> list[dict[str, Any]]:
    """The places that were named, that stand out, or whose signal changed."""
    return [
        row
        for row in comparison.to_dict()["signals"]
        if row["named"] or row["outlier_before"] or row["outlier_after"] or row["before"] != row["after"]
    ]
