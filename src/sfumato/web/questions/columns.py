"""The columns of a file: how each is read and why, what it holds, and its distribution.

Nothing leads back to a record: axes end at rounded percentiles, and rare categories are pooled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.data import Table
from sfumato.jobs.describe import column_profile
from sfumato.plots import bins, category_rows
from sfumato.web.questions.process.project_data import ProjectData

MOST_CATEGORIES = 200  # of which the names are sent along


@dataclass(frozen=True)
class _Itself:
    """A table compared with itself, for what is said about pairs."""

    original: Table
    aligned: Table


def columns(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    table, proposal = held.table, held.proposal
    reasons = proposal.reasons
    return {
        "records": table.n,
        "schema": "proposed" if held.subject.schema is None else "saved",
        "columns": [column_facts(table, name) | {"because": reasons.get(name, "")} for name in table.names],
    }


def column_facts(table: Table, name: str) -> dict[str, Any]:
    """How a column is read, and what it holds."""
    profile, attribute = column_profile(table, name), table.schema[name]
    hierarchy = attribute.hierarchy
    return {
        "name": name,
        "label": attribute.label,
        "labels": dict(attribute.labels) if attribute.domain_size <= MOST_CATEGORIES else {},
        "scale": attribute.scale,
        "role": attribute.role,
        "storage": attribute.storage,
        "missing_codes": attribute.missing,
        "missing": profile.missing,
        "distinct": profile.distinct,
        "doubts": profile.notes,
        "categories": attribute.categories if attribute.domain_size <= MOST_CATEGORIES else (),
        "domain": attribute.domain_size,
        "hierarchy": None if hierarchy is None else hierarchy.rows,
        "distribution": _distribution(table, name),
    }


def _distribution(table: Table, name: str) -> dict[str, Any] | None:
    """Shares in percent by bin or by category; nothing for what tells people apart by itself."""
    attribute = table.schema[name]
    if attribute.role == "identifier" or table.n == 0:
        return None
    pair = _Itself(table, table)
    if attribute.is_numeric:
        return _bins(pair, name)
    rows = category_rows(pair, name)
    return {
        "kind": "categories",
        "labels": [row.label for row in rows],
        "shares": [sum(row.original) for row in rows],
    }


def _bins(pair: _Itself, name: str) -> dict[str, Any] | None:
    found = bins(pair, name)
    if found is None:
        return None
    median = float(np.nanmedian(pair.original[name]))
    return {
        "kind": "bins",
        "edges": found.edges,
        "shares": found.original,
        "log": found.log,
        "median": float(f"{median:.3g}"),
    }
