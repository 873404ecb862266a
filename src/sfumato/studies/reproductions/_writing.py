"""Writing a reproduction: its table as CSV and JSON, every drawing as SVG and PNG, together or not at all."""

import json
from collections.abc import Iterable
from pathlib import Path

from sfumato.core.results import plain
from sfumato.data.files import writing_all
from sfumato.studies.reproductions._reproduced import Reproduced

DOTS_PER_INCH = 150


def reproduced_paths(folder: str | Path, name: str, drawings: Iterable[str]) -> list[Path]:
    """The files of a reproduction in a folder, the tables first.

    >>> [path.name for path in reproduced_paths("out", "clustering", ["german"])]
    ['clustering.csv', 'clustering.json', 'clustering-german.svg', 'clustering-german.png']
    """
    stems = [f"{name}-{drawing}" for drawing in drawings]
    names = [f"{name}.csv", f"{name}.json", *(stem + end for stem in stems for end in (".svg", ".png"))]
    return [Path(folder) / name for name in names]


def write_reproduced(reproduced: Reproduced, folder: str | Path) -> list[Path]:
    """Write all files into a folder that is there; all of them appear, or none does."""
    from pyarrow import csv

    from sfumato.plots._style import svg_text  # matplotlib is slow to import, needed only here

    paths = reproduced_paths(folder, reproduced.name, reproduced.drawings)
    with writing_all(paths) as (table, record, *pictures):
        csv.write_csv(reproduced.to_frame(), table)
        text = json.dumps(plain(reproduced.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)
        record.write_text(text + "\n", encoding="utf-8", newline="\n")
        for name, svg, png in zip(reproduced.drawings, pictures[::2], pictures[1::2], strict=True):
            figure = reproduced.figure(name)
            declaration = '<?xml version="1.0" encoding="utf-8"?>\n'
            svg.write_text(declaration + svg_text(figure), encoding="utf-8", newline="\n")
            figure.savefig(png, dpi=DOTS_PER_INCH)
    return paths
