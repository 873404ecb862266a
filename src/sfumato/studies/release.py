"""Writing a release: the protected file and everything that explains it, together or not at all."""

import json
from pathlib import Path
from typing import Any

from sfumato.core import DataError, FileError
from sfumato.core.results import plain
from sfumato.data import CsvOptions, write_table, writing_all
from sfumato.studies.evolved import Evolved
from sfumato.studies.large_protection import LargeProtection
from sfumato.studies.protection import Release
from sfumato.studies.report import report_html

COMPANIONS = (".report.html", ".record.json", ".schema.toml", ".risk-utility.svg")


def release_paths(path: str | Path) -> list[Path]:
    """The files that a release to this path consists of, the protected one first.

    >>> [file.name for file in release_paths("out/survey.csv")][:3]
    ['survey.csv', 'survey.report.html', 'survey.record.json']
    """
    path = Path(path)
    return [path, *(path.with_name(path.stem + ending) for ending in COMPANIONS)]


def write_release(
    release: Release, path: str | Path, *, source: str | Path = "", options: CsvOptions | None = None
) -> list[Path]:
    """Write the protected file, its report, record, schema and map; all of them appear, or none does.

    `source` is the file the original came from: it is named in the report, and never written over.
    """
    paths = release_paths(path)
    _check_source(paths, source)
    name = Path(source).name if source else ""
    kind = "Evolution" if isinstance(release, Evolved) else "Protection"
    title = f"{kind} report: {paths[0].name}"
    with writing_all(paths) as (table, *companions):
        _write_table(release, table, paths[0], options)
        texts = [
            report_html(release, title=title, source=name),
            record_json(release, source=name),
            release.release.schema.to_toml(),
            map_svg(release),
        ]
        for companion, text in zip(companions, texts, strict=True):
            companion.write_text(text, encoding="utf-8", newline="\n")
    return paths


def record_json(release: Release, *, source: str = "") -> str:
    """The machine-readable record as JSON; it holds no values of identifiers."""
    record: dict[str, Any] = {"source": source, **release.to_dict()}
    return json.dumps(plain(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def map_svg(release: Release) -> str:
    """The risk-utility map as the text of an SVG file."""
    from sfumato.plots._style import svg_text  # matplotlib is slow to import, needed only here

    return '<?xml version="1.0" encoding="utf-8"?>\n' + svg_text(release.plot())


def _check_source(paths: list[Path], source: str | Path) -> None:
    for path in paths:
        if source and path.resolve() == Path(source).resolve():
            raise DataError(f"{path} is the original file: give the release another name.")


def _write_table(release: Release, temporary: Path, path: Path, options: CsvOptions | None) -> None:
    try:
        if isinstance(release, LargeProtection):
            release.write(temporary)
        else:
            write_table(release.release, temporary, options=options)
    except (DataError, FileError) as error:  # the user knows the final name only
        raise type(error)(str(error).replace(str(temporary), str(path))) from None
