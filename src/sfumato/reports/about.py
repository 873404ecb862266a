"""The page for the users of a release: what was done in kind, what it does to analyses, and how close the file is.

It is published beside the file. So it holds no key, seed, order or fingerprint, no category at all, no number of the
original, and no name that is not in the release.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sfumato.core import Method
from sfumato.jobs import Applied, Envelopes, Pair, PublicFacts, Releasing
from sfumato.reports._page import page
from sfumato.reports._quality import FEWEST, Quality, links_in_words, qualities
from sfumato.version import __version__

NAME = r"(?:[Dd]e |[Vv]an )*[A-ZÀ-Ý][\w-]+"
REFERENCE = re.compile(rf"{NAME}(?:(?:, | & ){NAME})*(?: et al\.)? \(\d{{4}}\)")


def about(outcome: Envelopes) -> str:
    """The page as the text of a self-contained HTML file; the same release gives the same bytes."""
    job, facts = outcome.job, outcome.public_facts()
    file = job.output.name if isinstance(job, Releasing) and job.output is not None else ""
    masked = _masked(facts)
    rows = _rows(facts, masked)
    return page(
        "about.html.j2",
        file=file,
        f=facts,
        ready=outcome.ready,
        noun="people" if facts.links else "records",
        methods=[_method(one, facts) for one in facts.applied],
        rows=rows,
        spreads=any(row["quality"].spread for row in rows),
        untouched=[n for n in facts.schema.names if n not in {*masked, *facts.treated.renumbered}],
        repeated=[name for name in masked if sum(name in one.columns for one in facts.applied) > 1],
        compared=_compared(facts),
        promise=[] if facts.promise is None else list(facts.promise.sentences()),
        links=links_in_words(*facts.links) if facts.links and not _same_links(facts) else "",
        notes=list(_notes(facts)),
        references=_references(facts.applied),
        version=__version__,
    )


def _masked(facts: PublicFacts) -> tuple[str, ...]:
    """The released columns that some method may have changed, in their order."""
    changed = {name for one in facts.applied for name in one.columns}
    return tuple(name for name in facts.schema.names if name in changed)


def _method(one: Applied, facts: PublicFacts) -> dict[str, Any]:
    whole = "links" if facts.links else "whole records"
    return {"advice": one.advice, "columns": ", ".join(one.columns) or whole}


def _rows(facts: PublicFacts, masked: Sequence[str]) -> list[dict[str, Any]]:
    known = {} if facts.pair is None else qualities(facts.pair, masked, relations=facts.relations)
    return [
        {
            "name": name,
            "label": facts.schema[name].label,
            "quality": known.get(name, Quality("")),
        }
        for name in masked
    ]


def _compared(facts: PublicFacts) -> str:
    """What the quality is from, or why there is none."""
    if facts.promise is not None:
        return (
            "Nothing is told of how close the variables are to those collected: to compare them would be outside the formal "
            "promise."
        )
    if facts.pair is None:
        return "How close the variables are to the original ones was not measured for this file."
    if facts.pair.after.n < FEWEST:
        noun = "people" if facts.links else "records"
        return f"Of fewer than {FEWEST} {noun} nothing is told about how close they are."
    sample = "A random sample of the records was compared. " if facts.sampled else ""
    told = f"{sample}Bands, not exact figures: the file beside what was collected, unweighted."
    if not facts.relations:
        return told
    return (
        f"{told} Relations: the largest change of a correlation, a correlation ratio or Cramér's V (from 0 to 1) with "
        "any other variable."
    )


def _same_links(facts: PublicFacts) -> bool:
    assert facts.links is not None
    before, after = facts.links
    return before.m == after.m and bool((before.edges == after.edges).all())


def _notes(facts: PublicFacts) -> Iterator[tuple[str, str]]:
    """Weights, households, missing values, links and order: what a user has to know of each, if it is there."""
    if facts.treated.proposed:
        yield (
            "Not confirmed",
            "which variables somebody may be recognised by was proposed by the program, from names and values.",
        )
    yield from _weights(facts)
    for name in (n for n in facts.treated.renumbered if n in facts.schema):
        yield f"Households ({name})", "the numbers are new: they say who belongs together, and nothing else."
    yield "Missing values", _missing(facts.pair, facts)
    if facts.links and _same_links(facts):
        yield "Links", "as collected: who is linked with whom was not changed."
    if facts.shuffled:
        noun = "people" if facts.links else "records"
        yield "Order", f"the {noun} are in a random order, which carries no information."


def _weights(facts: PublicFacts) -> Iterator[tuple[str, str]]:
    names = facts.schema.with_role("weight")
    if not names:
        return
    changed = any(name in one.columns for one in facts.applied for name in names)
    sampled = any(not getattr(m, "keeps_records", True) for one in facts.applied for m in one.methods)
    if sampled:
        text = "scaled, so that the records that are left stand for all; use them for totals and means."
    elif changed:
        text = "masked like other variables; use them, and take totals as approximate."
    else:
        text = "as collected; use them for totals and means. Masking itself took no account of them."
    yield f"Weights ({', '.join(names)})", text


def _missing(pair: Pair | None, facts: PublicFacts) -> str:
    if facts.promise is not None:
        return "drawn like other values; a record with one is nobody's."
    if pair is None:
        return "where a method removes values, they cannot be told from those that were never given."
    more = [name for name in _masked(facts) if (pair.after.missing(name) & ~pair.before.missing(name)).any()]
    fewer = [name for name in _masked(facts) if (pair.before.missing(name) & ~pair.after.missing(name)).any()]
    told = [
        f"some values of {', '.join(more)} were removed, and cannot be told from those that were never given"
        if more
        else "",
        f"some missing values of {', '.join(fewer)} were filled in" if fewer else "",
    ]
    return "; ".join(filter(None, told)) + "." if more or fewer else "missing where they were when collected."


def _references(applied: Iterable[Applied]) -> list[str]:
    """The publications that the methods' own pages name as their sources."""
    found = [one for step in applied for method in step.methods for one in references(type(method))]
    return list(dict.fromkeys(found))


def references(method: type[Method]) -> list[str]:
    """Authors and years from the paragraph of a docstring that tells the source.

    >>> from sfumato.masking import Noise
    >>> references(Noise)
    ['Kim (1986)', 'Tendick & Matloff (1994)', 'Brand (2002)', 'Kim & Winkler (2003)']
    """
    _, _, source = (inspect.getdoc(method) or "").partition("\nSource: ")
    text = " ".join(source.partition("\n\n")[0].split())
    return REFERENCE.findall(text)
