"""The layout of a file: its records and the names of its columns, before any schema; and how its text is read.

The first records are shown as they were cut, so that whoever owns the file sees whether it was read right.
"""

from typing import Any

import pyarrow as pa

from sfumato.data import layout_of
from sfumato.web.questions.process.project_data import ProjectData

FIRST = 5  # records
LONGEST = 40  # letters of a cell


def layout(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    arrow, subject = held.arrow, held.subject
    found = layout_of(subject.path, subject.options) if subject.is_text else None
    text = (
        {} if found is None else {name: one for name, one in vars(found.options).items() if name != "names"}
    )
    return {
        "records": arrow.num_rows,
        "columns": list(arrow.column_names),
        "text": text,
        "guessed": found is not None and bool(found.doubts),
        "scales": {one.name: one.scale for one in held.proposal.schema},
        "first": _cells(arrow.slice(0, FIRST)),
    }


def _cells(rows: pa.Table) -> list[list[str]]:
    columns = [
        ["" if cell is None else str(cell)[:LONGEST] for cell in one.to_pylist()] for one in rows.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]
