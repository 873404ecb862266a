"""Writing a file whose group is hidden, with its swaps, record and report: together or not at all."""

import json
from pathlib import Path

from sfumato.core import DataError
from sfumato.core.results import plain
from sfumato.data import CsvOptions, write_table, writing_all
from sfumato.studies.group_protected import GroupProtection
from sfumato.studies.group_report import group_report_html

COMPANIONS = (".schema.toml", ".swaps.csv", ".record.json", ".report.html")


def group_release_paths(path: str | Path) -> list[Path]:
    """The files that a release to this path consists of, the protected one first.

    >>> [file.name for file in group_release_paths("out/survey.csv")][2:]
    ['survey.swaps.csv', 'survey.record.json', 'survey.report.html']
    """
    path = Path(path)
    return [path, *(path.with_name(path.stem + ending) for ending in COMPANIONS)]


def write_group_release(
    protection: GroupProtection,
    path: str | Path,
    *,
    source: str | Path = "",
    options: CsvOptions | None = None,
) -> list[Path]:
    """Write the protected file and its schema, and for the owner alone the swaps, the record and the report."""
    paths = group_release_paths(path)
    for target in paths:
        if source and target.resolve() == Path(source).resolve():
            raise DataError(f"{target} is the original file: give the release another name.")
    name = Path(source).name if source else ""
    with writing_all(paths) as (table, schema, swaps, record, report):
        write_table(protection.release, table, options=options)
        protection.swaps.write_csv(swaps, protection.comparison.before.places)
        title = f"Group anonymity report: {paths[0].name}"
        texts = {
            schema: protection.release.schema.to_toml(),
            record: group_record_json(protection, source=name),
            report: group_report_html(protection, title=title, source=name),
        }
        for target, text in texts.items():
            target.write_text(text, encoding="utf-8", newline="\n")
    return paths


def group_record_json(protection: GroupProtection, *, source: str = "") -> str:
    """The machine-readable record as JSON."""
    record = {"source": source, **protection.to_dict()}
    return json.dumps(plain(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
