"""How delimited text is laid out: the controls for it, what they say, and what a file looks like when it is read so."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.data import CsvOptions
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, Tick, choice, entry, tick

FOUND_OUT = "found out"
DELIMITERS = {
    "": FOUND_OUT,
    ",": "comma ,",
    ";": "semicolon ;",
    "tab": "tabulator",
    "|": "bar |",
    " ": "space",
}
DECIMALS = {"": FOUND_OUT, ".": "point .", ",": "comma ,"}
SHOWN = 20  # columns


@dataclass(frozen=True)
class LayoutFields:
    """Four controls: what stands between cells and before decimals, the encoding, and whether the first line names columns.

    What there is no control for stays as it was `given`.
    """

    given: CsvOptions
    delimiter: Field
    decimal: Field
    encoding: Field
    header: Tick

    def options(self) -> CsvOptions:
        found = csv_options(
            self.delimiter.value, self.encoding.value, self.header.value, decimal=self.decimal.value
        )
        return replace(
            self.given,
            delimiter=found.delimiter,
            encoding=found.encoding,
            header=found.header,
            decimal=found.decimal,
        )

    @property
    def ids(self) -> str:
        """The controls by name, for the script that sends a file."""
        return (
            f"{{delimiter: '{self.delimiter.html_id}', encoding: '{self.encoding.html_id}', "
            f"decimal: '{self.decimal.html_id}', header: '{self.header.html_id}'}}"
        )


def layout_fields(options: CsvOptions | None = None) -> LayoutFields:
    given = options or CsvOptions()
    delimiter = "tab" if given.delimiter == "\t" else given.delimiter or ""
    words = {**DELIMITERS, delimiter: DELIMITERS.get(delimiter, delimiter)}
    with html.row():
        return LayoutFields(
            given,
            choice("Between cells", words, value=delimiter),
            choice("Before decimals", DECIMALS, value=given.decimal or ""),
            entry("Encoding", value=given.encoding or "", width=12),
            tick("The first line names the columns", value=given.header is not False),
        )


def csv_options(
    delimiter: str | None, encoding: str | None, header: object, *, decimal: str | None = None
) -> CsvOptions:
    """The options as a form or an address spells them.

    >>> csv_options("tab", "", "no", decimal=",")
    CsvOptions(delimiter='\\t', header=False, decimal=',')
    """
    character = {"": None, "tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    nameless = str(header).lower() in ("no", "false")
    return CsvOptions(
        delimiter=character,
        encoding=encoding or None,
        header=False if nameless else None,
        decimal=decimal or None,
    )


def layout_in_words(text: Mapping[str, Any]) -> str:
    """How a file of text is read, in one line.

    >>> layout_in_words({"delimiter": ";", "decimal": ",", "encoding": "cp1252", "header": False})
    'semicolon ; between cells, comma , before decimals, encoding cp1252, no row of names'
    """
    mark = str(text["delimiter"])
    between = DELIMITERS.get("tab" if mark == "\t" else mark, mark)
    told = [
        f"{between} between cells",
        f"{DECIMALS.get(text.get('decimal') or '.')} before decimals",
        f"{text['thousands']} between thousands" if text.get("thousands") else "",
        f"encoding {text['encoding']}",
        "the first line names the columns" if text["header"] else "no row of names",
        f"lines after {text['comment']} are left out" if text.get("comment") else "",
    ]
    return ", ".join(filter(None, told))


def draw_preview(found: Mapping[str, Any]) -> None:
    """How a file was read, in a line, and its first records."""
    html.words(f"Read with {layout_in_words(found['text'])}.")
    if found["guessed"]:
        html.words(
            "Some of this is a guess: look whether names, letters and numbers are right.", kind="small"
        )
    scales = found["scales"]
    heads = [f"{name} ({scales.get(name, 'not read')})" for name in found["columns"]]
    more = f", {len(heads) - SHOWN} more columns are not shown" if len(heads) > SHOWN else ""
    html.facts(
        heads[:SHOWN],
        [row[:SHOWN] for row in found["first"]],
        caption=f"The first of {found['records']:,} records{more}",
    )
