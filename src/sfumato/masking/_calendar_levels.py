"""A hierarchy of dates and times: days, months, quarters, years, decades."""

import re

from sfumato.data import Attribute, Hierarchy
from sfumato.data.attribute import free_name
from sfumato.masking._recoding import taken_names

DATE = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:[T ].*)?")


def calendar_hierarchy(attribute: Attribute) -> Hierarchy | None:
    """The levels of a column of dates that tell fewer apart than the one before; None where some are no dates.

    >>> dates = ("2019-12-31", "2020-01-05", "2020-01-09", "2020-05-01")
    >>> born = Attribute(name="born", scale="ordinal", categories=dates, storage="date")
    >>> [row[1:] for row in calendar_hierarchy(born).rows]
    [('2019-12', '2019'), ('2020-01', '2020'), ('2020-01', '2020'), ('2020-05', '2020')]
    """
    found = [DATE.fullmatch(category) for category in attribute.categories]
    if attribute.storage not in ("date", "timestamp") or not all(found):
        return None
    taken = taken_names(attribute)
    paths = [[category] for category in attribute.categories]
    rungs = [_rungs(date) for date in found if date]
    before = len(paths)
    for level in range(len(rungs[0]) if rungs else 0):
        names = [rung[level] for rung in rungs]
        if 1 < len(set(names)) < before:
            before = len(set(names))
            for path, name in zip(paths, names, strict=True):
                path.append(free_name(name, taken) if name in taken and name != path[0] else name)
    return Hierarchy(tuple(map(tuple, paths))) if paths and len(paths[0]) > 1 else None


def _rungs(date: re.Match[str]) -> tuple[str, ...]:
    """What a date is called by day, month, quarter, year and decade."""
    year, month, day = date["year"], date["month"], date["day"]
    quarter = f"{year}-Q{(int(month) + 2) // 3}"
    decade = f"{year[:3]}0..{year[:3]}9"
    return f"{year}-{month}-{day}", f"{year}-{month}", quarter, year, decade
