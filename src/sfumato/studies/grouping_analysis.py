"""Writing what a search for a grouping did: tables of its operators and its front, and pictures of both."""

from pathlib import Path

from sfumato.core import FileError, Result
from sfumato.data.files import writing_all
from sfumato.studies.group_attributes import Grouped


def analysis_paths(folder: Path, *, exact: bool) -> list[Path]:
    """The files of an analysis; a search that tries everything has no operators.

    >>> [path.name for path in analysis_paths(Path("out"), exact=True)]
    ['front.csv', 'front.svg']
    """
    stems = ["front"] if exact else ["front", "operators"]
    return [folder / f"{stem}.{end}" for stem in stems for end in ("csv", "svg")]


def write_analysis(grouped: Grouped, folder: str | Path) -> list[Path]:
    """Write all files into a folder, which is made if it is not there; all of them appear, or none does."""
    from pyarrow import csv

    from sfumato.plots._style import svg_text  # matplotlib is slow to import, needed only here

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place}: the folder cannot be made ({error.strerror}).") from None
    paths = analysis_paths(place, exact=grouped.exact)
    parts: list[Result] = [grouped, grouped.analytics]
    with writing_all(paths) as made:
        for part, table, picture in zip(parts, made[::2], made[1::2], strict=False):
            csv.write_csv(part.to_frame(), table)
            declaration = '<?xml version="1.0" encoding="utf-8"?>\n'
            picture.write_text(declaration + svg_text(part.plot()), encoding="utf-8", newline="\n")
    return paths
