"""Cautions: what a data steward should look at before a release goes out."""

from collections.abc import Iterator

import numpy as np

from sfumato.data import Table
from sfumato.jobs import Evolved, Protection, ReleasedFile, evolution_of, targets_of
from sfumato.kernels.distinct_records import distinct
from sfumato.measures import title

LARGE_LOSS = 50.0
LARGE_RISK = 20.0
SMALLEST_NAMED = 5  # a rarer category is counted but not named: its name could lead to a person
MOST_NAMED = 8
SUMMARIES = ("information_loss", "disclosure_risk")  # made of others, which are looked at


def cautions(release: ReleasedFile) -> list[str]:
    """Everything worth a second look, in one sentence each."""
    return [
        *_proposed_roles(release),
        *_kept_columns(release),
        *release.prices_told(),
        *_unmasked_keys(release),
        *_unique_records(release),
        *_parted_from_fitness(release),
        *_large_risks(release),
        *_large_losses(release),
        *_vanished_categories(release),
    ]


def treatments(release: ReleasedFile) -> list[tuple[str, tuple[str, ...]]]:
    """What was done to the columns, in order: the name of the method, and the columns it may have changed."""
    if isinstance(release, Evolved) and release.synthesis is not None:
        return [(release.synthesis.name, release.masked)]
    if isinstance(release, Evolved) or release.is_evolved:
        return [("evolution", release.original.schema.with_role("key"))]
    steps = release.chosen.masking.sequence
    return [(step.name, targets_of(step, release.original.schema)) for step in steps]


def unique_share(table: Table, names: tuple[str, ...]) -> float:
    """Percent of records that share their values in these columns with no other record."""
    if not names or not table.n:
        return 0.0
    classes = distinct([table[name] for name in names])
    return 100 * float(np.sum(classes.counts == 1)) / table.n


def unique_shares(release: ReleasedFile) -> tuple[float, float]:
    """Percent of records that are alone with their key values, before and after, in the whole file."""
    if isinstance(release, Protection) and release.whole is not None:
        return release.whole.uniques
    keys = released_keys(release)
    return unique_share(release.original, keys), unique_share(release.aligned, keys)


def released_keys(release: ReleasedFile) -> tuple[str, ...]:
    return tuple(n for n in release.original.schema.with_role("key") if n in release.aligned)


def _proposed_roles(p: ReleasedFile) -> Iterator[str]:
    if p.treated.proposed:
        keys = list(p.original.schema.with_role("key"))
        known = (
            f"an intruder who knows {_listed(keys)} and nothing else"
            if keys
            else "an intruder who knows no column"
        )
        yield (
            "What the columns are was proposed from names and values, and nobody confirmed it: what is said of risk is "
            f"about {known}."
        )


def _kept_columns(p: ReleasedFile) -> Iterator[str]:
    kept = [name for name in p.original.schema.with_role("identifier") if name in p.aligned]
    if kept:
        yield f"Identifiers are released because they were asked for by name: {_listed(kept)}."
    if p.unready_because:
        yield p.unready_because
    for name, count in p.treated.singling.items():
        yield (
            f"{name} is released as it is, and {count:,} of {p.treated.records:,} records have a value in it that no "
            "other record has: whoever knows it finds the record."
        )


def _unmasked_keys(p: ReleasedFile) -> Iterator[str]:
    masked = {name for _, names in treatments(p) for name in names}
    left = [name for name in released_keys(p) if name not in masked]
    if left:
        yield f"No step masks these key attributes: {_listed(left)}."
    same = [n for n in p.unchanged_keys if n not in left] if isinstance(p, Protection) else []
    if same:
        yield f"These key attributes are as they were, though a step might have changed them: {_listed(same)}."


def _is_of_people(p: ReleasedFile) -> bool:
    """Whether released records are those of people, so that comparing them one by one says something."""
    if isinstance(p, Evolved) and p.synthesis is not None:
        return False
    return p.verdict is None or p.verdict.belongs


def _unique_records(p: ReleasedFile) -> Iterator[str]:
    before, after = unique_shares(p)
    if after > 0 and _is_of_people(p):
        yield (
            f"{after:.1f} % of the released records are still unique on the key attributes "
            f"({before:.1f} % of the original ones are)."
        )


def _parted_from_fitness(p: ReleasedFile) -> Iterator[str]:
    evolution = evolution_of(p)
    if evolution is not None and evolution.reversion:
        yield evolution.reversion


def _large_risks(p: ReleasedFile) -> Iterator[str]:
    for name, score in p.evaluation.scores.items():
        if p.evaluation.senses[name] != "risk" or name in SUMMARIES or not _is_of_people(p):
            continue
        # parts that are no attributes explain a measure, and are no risks by themselves
        parts = {part: value for part, value in score.parts.items() if part in p.original}
        large = {
            part: value for part, value in (parts or {"overall": score.value}).items() if value > LARGE_RISK
        }
        if large:
            yield f"Risk above {LARGE_RISK:g} % by {title(name)}: {_with_percent(large)}."


def _large_losses(p: ReleasedFile) -> Iterator[str]:
    losses = [score for name, score in p.evaluation.scores.items() if p.evaluation.senses[name] == "loss"]
    found = []
    for name in p.original.names if _is_of_people(p) else ():
        large = {title(s.measure): s.parts[name] for s in losses if s.parts.get(name, 0.0) > LARGE_LOSS}
        if large:
            found.append(f"{name} ({_with_percent(large)})")
    if found:
        yield f"More than {LARGE_LOSS:g} % of the information is lost in {_listed(found)}."


def _vanished_categories(p: ReleasedFile) -> Iterator[str]:
    for attribute in p.original.schema:
        if attribute.name not in p.aligned or attribute.is_numeric or attribute.role == "identifier":
            continue
        gone = _vanished(p, attribute.name)
        named = [
            attribute.labels.get(category, category)
            for category, count in gone.items()
            if count >= SMALLEST_NAMED
        ]
        rare = len(gone) - len(named)
        if gone:
            also = f"{rare} rare {'category' if rare == 1 else 'categories'}" if rare else ""
            listed = " and ".join(filter(None, [_listed(named), also]))
            yield f"Categories of {attribute.name} that occur in no released record: {listed}."


def _vanished(p: ReleasedFile, name: str) -> dict[str, int]:
    """Original categories, with their counts, that no released value stands for."""
    if isinstance(p, Protection) and p.whole is not None:
        before, after = p.whole.counts[name]
    else:
        before, after = _counts(p.original, name), _counts(p.aligned, name)
    covers = p.aligned.schema[name].covers
    alive = {c for new, count in after.items() if count for c in (new, *covers.get(new, ()))}
    return {c: count for c, count in before.items() if count and c not in alive}


def _counts(table: Table, name: str) -> dict[str, int]:
    codes, categories = table[name], table.schema[name].categories
    return dict(
        zip(categories, np.bincount(codes[codes >= 0], minlength=len(categories)).tolist(), strict=True)
    )


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _with_percent(values: dict[str, float]) -> str:
    return _listed(
        [f"{name} {value:.0f} %" for name, value in sorted(values.items(), key=lambda item: -item[1])]
    )
