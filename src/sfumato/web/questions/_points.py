"""The masked file behind a point of the risk-utility map: made again from its spec, or read from what a run wrote."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core import DataError
from sfumato.data import Schema, Table, read_table
from sfumato.masking import make_masking, traced_with
from sfumato.search.maskings.short_names import in_short
from sfumato.web.questions._runs import run_folder, run_study
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.runs.risk_utility_map import RELEASE, SEARCHES, point_of
from sfumato.web.runs.run_folder import OUT
from sfumato.web.runs.run_state import History


@dataclass(frozen=True)
class MaskedPoint:
    """A file before and after, the same records in the same order; and what masked it."""

    original: Table
    aligned: Table
    label: str
    spec: Any
    seed: int


def masked_point(held: ProjectData, arguments: dict[str, Any]) -> MaskedPoint:
    """The point that is asked for: its number in the list of the run, or "release"."""
    folder, point = run_folder(held, arguments), str(arguments.get("point", RELEASE))
    return held.keep(f"point {folder.name} {point}", lambda: _made(held, folder, point))


def _made(held: ProjectData, folder: Path, point: str) -> MaskedPoint:
    study = run_study(folder, *SEARCHES)
    seed = int(str(study.settings.get("seed", 0)))
    if point == RELEASE:
        return _written(held.table, folder, seed)
    history = History(folder)
    history.read()
    spec = point_of(list(history.points.values()), point)["spec"]
    if spec is None:
        raise DataError(
            "A generation of an evolution is not kept as a file: look at the release it ended with."
        )
    masking = make_masking(spec)
    masked, rows = traced_with(masking, held.table, seed=seed)
    original = held.table if len(rows) == held.table.n else held.table.take(rows)
    return MaskedPoint(original, masked, in_short(masking), spec, seed)


def _written(table: Table, folder: Path, seed: int) -> MaskedPoint:
    for schema in sorted((folder / OUT).glob("*.schema.toml")):
        stem = schema.name.removesuffix(".schema.toml")
        for file in sorted((folder / OUT).glob(f"{stem}.*")):
            if file.suffix in (".csv", ".parquet") and file.stem == stem:
                released = read_table(file, schema=Schema.read(schema))
                if released.n != table.n:
                    raise DataError("The release holds a sample of the records: look at a point of the map.")
                return MaskedPoint(table, released, "The release", None, seed)
    raise DataError("This run has released nothing yet: wait until it has finished.")
