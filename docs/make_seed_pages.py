"""Writes a page for each source from its rows: `python docs/make_seed_pages.py`.

The rows are `docs/seeds/NAME.toml`, the pages `docs/seeds/NAME.md`. A test holds that the pages are what the rows say, that
all places they name exist, and that all commands run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from seed_rows import LINKED, SEEDS, STATUSES, Page, Place, Row, Section, read_pages

HEADINGS = ("in the source", "what it is", "here", "how it stands")


def main() -> None:
    """Write all pages anew."""
    for page in read_pages():
        (SEEDS / f"{page.name}.md").write_text(page_text(page), encoding="utf-8")


def page_text(page: Page) -> str:
    """What the page of a source says."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: Page) -> Iterator[str]:
    yield f"<!-- written by docs/make_seed_pages.py from {page.name}.toml -->"
    yield f"# {page.title}"
    yield from ("", page.source, "")
    for title, text in page.prose.items():
        yield from (f"## {title}", "", text.strip(), "")
    yield from ("## Row by row", "", *_counts(page.rows), "")
    for section in page.sections:
        yield from _section(section)


def _counts(rows: tuple[Row, ...]) -> Iterator[str]:
    counts = Counter(row.status for row in rows)
    yield f"{len(rows)} rows, in the order of the source:"
    yield ""
    for status, meaning in STATUSES.items():
        if counts[status]:
            yield f"- *{status}* ({counts[status]}): {meaning}."


def _section(section: Section) -> Iterator[str]:
    yield from (f"### {section.title}", "", _cells(HEADINGS), _cells("---" for _ in HEADINGS))
    for row in section.rows:
        yield _cells((row.id, row.means, _here(row), _standing(row)))
    yield from ("", *_commands(section.rows))


def _commands(rows: tuple[Row, ...]) -> Iterator[str]:
    """The commands of some rows, each once, with the rows it is for."""
    named: dict[str, list[str]] = {}
    for row in rows:
        for command in row.commands:
            named.setdefault(command, []).append(row.id)
    if named:
        yield "```sh"
        for command, ids in named.items():
            yield from (f"# {'; '.join(ids)}", f"sfumato {command}")
        yield from ("```", "")


def _here(row: Row) -> str:
    """Files and methods; of a job only the command is told, where there is one."""
    return "<br>".join(_link(place) for place in row.places if place.kind != "jobs" or not row.commands)


def _link(place: Place) -> str:
    if place.kind == "jobs":
        return f"`sfumato {place.name.replace('_', '-')}`"
    if not place.kind:
        return f"`{place.text.replace('::', ': ')}`"
    if place.kind in LINKED:
        return f"[`{place.method}`](../methods/{place.kind}/{place.name}.md)"
    return f"`{place.method}`"


def _standing(row: Row) -> str:
    return f"{row.status}: {row.note}" if row.note else row.status


def _cells(texts: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


if __name__ == "__main__":
    main()
