"""What attackers would find if the file were released as it is: each attack on a sample of the records."""

from typing import Any

import numpy as np

from sfumato.core import DataError, registry, stream
from sfumato.jobs.attack import Attacks, attacked, fitting_attacks
from sfumato.web.questions.process.project_data import ProjectData

MOST_RECORDS = 2000
BESIDE = ("rank_swapping_linkage",)  # tells something only about files made by rank swapping


def attackers(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """Success of each attack, of a guess, and of the attack on shuffled columns, with intervals."""
    table, names = held.table, held.keys(arguments)
    if not names:
        raise DataError("No attribute has the role key: say on the page Data what an intruder may know.")
    schema = table.schema.with_roles(
        {**dict.fromkeys(table.schema.with_role("key"), "other"), **dict.fromkeys(names, "key")}
    )
    rows = np.arange(table.n)
    if table.n > MOST_RECORDS:
        rows = np.sort(stream(0, "attackers", "sample").choice(table.n, MOST_RECORDS, replace=False))
    sample = table.with_schema(schema).take(rows)
    found = attacked(
        sample, sample, [one for one in fitting_attacks(sample, sample) if one.name not in BESIDE]
    )
    return {
        "records": table.n,
        "sampled": sample.n,
        "keys": list(names),
        "attacks": attack_rows(found),
    }


def attack_rows(found: Attacks) -> list[dict[str, Any]]:
    """Each attack with its rates, and what it does in a few words."""
    return [
        {
            "name": name,
            "summary": registry.summary("attacks", result.name).partition(": ")[2] or result.name,
            **{part: getattr(result, part) for part in ("attack", "control", "baseline")},
        }
        for name, result in found.results.items()
    ]
