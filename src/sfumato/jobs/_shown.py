"""How outcomes are shown where somebody works with data frames: as a frame of the same library, as text, as HTML."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

if TYPE_CHECKING:
    from sfumato.jobs._job import Listing

ARROW = "pyarrow"


def library_of(data: Any) -> str:
    """The library of a data frame; pyarrow for everything else.

    >>> library_of(pa.table({"age": [31]})), library_of("survey.csv")
    ('pyarrow', 'pyarrow')
    """
    try:
        return str(nw.from_native(data, eager_only=True).implementation.value)
    except TypeError:
        return ARROW


def in_library(arrow: pa.Table, library: str) -> Any:
    """An Arrow table as a frame of a library."""
    backend: Any = library
    return arrow if library == ARROW else nw.from_arrow(arrow, backend=backend).to_native()


def as_text(told: "Iterable[str | Listing]") -> str:
    """What is told of an outcome, tables with their columns in line."""
    return "\n".join(line for one in told for line in ([one] if isinstance(one, str) else _lines(one)))


def as_html(told: "Iterable[str | Listing]") -> str:
    """The same for a notebook."""
    return "".join(f"<p>{escape(one)}</p>" if isinstance(one, str) else _table(one) for one in told)


def _lines(listing: "Listing") -> Iterator[str]:
    if listing.title:
        yield listing.title
    numbers = [heading.startswith(">") for heading in listing.headings]
    rows = [[heading.removeprefix(">") for heading in listing.headings], *map(list, listing.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(numbers))]
    for row in rows:
        cells = zip(row, widths, numbers, strict=True)
        yield "  ".join(
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells
        ).rstrip()


def _table(listing: "Listing") -> str:
    """A table; a heading that begins with > is that of a column of numbers."""
    numbers = [heading.startswith(">") for heading in listing.headings]
    heads = [heading.removeprefix(">") for heading in listing.headings]
    title = f"<caption>{escape(listing.title)}</caption>" if listing.title else ""
    body = "".join(_row("td", row, numbers) for row in listing.rows)
    return f"<table>{title}<thead>{_row('th', heads, numbers)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Iterable[str], numbers: Iterable[bool]) -> str:
    align = {True: ' style="text-align: right"', False: ' style="text-align: left"'}
    written = (
        f"<{tag}{align[is_number]}>{escape(cell)}</{tag}>"
        for cell, is_number in zip(cells, numbers, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"
