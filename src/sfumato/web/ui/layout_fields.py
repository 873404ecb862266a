"""How delimited text is laid out: the controls for it, and what they say."""

from dataclasses import dataclass

from sfumato.data import CsvOptions
from sfumato.web.ui.fields import Field, Tick, choice, entry, tick
from sfumato.web.ui.html import row

DELIMITERS = {
    "": "found out",
    ",": "comma ,",
    ";": "semicolon ;",
    "tab": "tabulator",
    "|": "bar |",
    " ": "space",
}


@dataclass(frozen=True)
class LayoutFields:
    """Three controls: what stands between cells, the encoding, and whether the first line names the columns."""

    delimiter: Field
    encoding: Field
    header: Tick

    def options(self) -> CsvOptions:
        return csv_options(self.delimiter.value, self.encoding.value, self.header.value)

    @property
    def ids(self) -> str:
        """The controls by name, for the script that sends a file."""
        return (
            f"{{delimiter: '{self.delimiter.html_id}', encoding: '{self.encoding.html_id}', "
            f"header: '{self.header.html_id}'}}"
        )


def layout_fields(options: CsvOptions | None = None) -> LayoutFields:
    given = options or CsvOptions()
    delimiter = "tab" if given.delimiter == "\t" else given.delimiter or ""
    words = {**DELIMITERS, delimiter: DELIMITERS.get(delimiter, delimiter)}
    with row():
        return LayoutFields(
            choice("Between cells", words, value=delimiter),
            entry("Encoding", value=given.encoding or "", width=12),
            tick("The first line names the columns", value=given.header is not False),
        )


def csv_options(delimiter: str | None, encoding: str | None, header: object) -> CsvOptions:
    """The options as a form or an address spells them.

    >>> csv_options("tab", "", "no")
    CsvOptions(delimiter='\\t', header=False)
    """
    character = {"": None, "tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    nameless = str(header).lower() in ("no", "false")
    return CsvOptions(delimiter=character, encoding=encoding or None, header=False if nameless else None)
