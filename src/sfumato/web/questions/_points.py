"""The masked file behind a point of the risk-utility map: made again from its spec, or read from what a run wrote."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Schema, Table, private_beside, read_table
from sfumato.jobs import ORDER_FILE, Order, Releasing
from sfumato.jobs.protect import Protect
from sfumato.masking import make_masking, traced_with
from sfumato.search.maskings.short_names import in_short
from sfumato.web.questions._runs import run_folder, run_study
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.runs.risk_utility_map import RELEASE, SEARCHES, point_of
from sfumato.web.runs.run_folder import OUT, STUDY, job_in, randomness_in, record_in
from sfumato.web.runs.run_state import History


@dataclass(frozen=True)
class MaskedPoint:
    """A file before and after, the same records in the same order; and what masked it."""

    original: Table
    aligned: Table
    label: str
    spec: Any
    made_by: str = ""


def masked_point(held: ProjectData, arguments: dict[str, Any]) -> MaskedPoint:
    """The point that is asked for: its number in the list of the run, or "release"."""
    folder, point = run_folder(held, arguments), str(arguments.get("point", RELEASE))
    return held.keep(f"point {folder.name} {point}", lambda: _made(held, folder, point))


def _made(held: ProjectData, folder: Path, point: str) -> MaskedPoint:
    run_study(folder, *SEARCHES)
    job = job_in(folder, STUDY)
    if point == RELEASE and isinstance(job, Releasing) and job.output is not None:
        return replace(
            _written(held.table, folder / OUT / job.output.name), made_by=_made_by(record_in(folder / OUT))
        )
    history = History(folder)
    history.read()
    spec = point_of(list(history.points.values()), point)["spec"]
    if spec is None:
        raise DataError(
            "A generation of an evolution is not kept as a file: look at the release it ended with."
        )
    masking = make_masking(spec)
    table = held.table
    if isinstance(job, Protect):  # what is left out plays no part in its search
        table = table.select(job.offered(table, held.proposal))
    masked, rows = traced_with(masking, table, seed=randomness_in(folder, job))
    original = table if len(rows) == table.n else table.take(rows)
    return MaskedPoint(original, masked, in_short(masking), spec, masking.plain())


def _made_by(record: dict[str, Any] | None) -> str:
    """What made a release, in a few words."""
    if (record or {}).get("evolution", {}).get("released"):
        return "an evolution of the best candidates"
    spec = (record or {}).get("chosen", {}).get("masking")
    return "" if spec is None else in_short(make_masking(spec))


def _written(table: Table, file: Path) -> MaskedPoint:
    """The release as its records stand in the original, of which it may be a part."""
    private = private_beside(file)
    if not file.is_file() or not (private / ORDER_FILE).is_file():
        raise DataError("This run has released nothing yet: wait until it has finished.")
    order = Order.read(private / ORDER_FILE)
    released = read_table(file, schema=Schema.read(private / "schema.toml")).take(order.back())
    original = table if released.n == table.n else table.take(np.sort(order.rows))
    return MaskedPoint(original, released, "The release", None)
