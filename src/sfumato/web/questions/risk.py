"""Risk as the file is: how many people share their key values, and which combinations single out most."""

from typing import Any

import numpy as np

from sfumato.data import Table
from sfumato.jobs import all_but_names, combination_profile, known_by_others, riskiest_combinations
from sfumato.kernels.distinct_records import distinct
from sfumato.web.questions.process.project_data import ProjectData

SIZES = (("1", 1, 1), ("2", 2, 2), ("3 to 4", 3, 4), ("5 to 9", 5, 9), ("10 or more", 10, None))
MOST_KEYS = 15  # for single keys, pairs and triples of more, the work grows too fast to wait for


def risk(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    table, names = held.table, held.keys(arguments)
    candidates = [a.name for a in table.schema if a.role != "identifier"]
    found: dict[str, Any] = {"records": table.n, "keys": names, "columns": candidates}
    found["schema"] = "proposed" if held.subject.schema is None else "saved"
    found |= held.keep("beyond the keys", lambda: _beyond_keys(table))
    if not names or not table.n:
        return {**found, "profile": [], "riskiest": []}
    classes = distinct(table.shown(names))
    return {
        **found,
        **combination_profile(table, names).to_dict(),
        "classes": len(classes.counts),
        "profile": [_share(classes.counts, table.n, *size) for size in SIZES],
        "riskiest": riskiest_combinations(table, names[:MOST_KEYS]),
        "left_out": names[MOST_KEYS:],
    }


def _beyond_keys(table: Table) -> dict[str, Any]:
    """What an intruder finds who knows more than the keys; the same whatever keys are asked for."""
    return {"known_by_others": known_by_others(table), "everything": all_but_names(table)}


def _share(counts: np.ndarray, n: int, label: str, low: int, high: int | None) -> dict[str, Any]:
    inside = counts[(counts >= low) & (counts <= (high or n))]
    records = int(inside.sum())
    return {"size": label, "classes": len(inside), "records": records, "share": 100 * records / n}
