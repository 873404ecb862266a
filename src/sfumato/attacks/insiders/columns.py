"""The columns of a file that say something about people, whoever called them keys."""

from sfumato.core import DataError
from sfumato.data import Schema, Table
from sfumato.data.declarations import known_columns


def telling_columns(schema: Schema, scenario: str = "") -> tuple[str, ...]:
    """What the intruder of a scenario knows, or all columns but identifiers and numbers of households.

    >>> from sfumato.data import Attribute
    >>> roles = {"id": "identifier", "age": "key", "pay": "confidential", "weight": "weight"}
    >>> telling_columns(Schema([Attribute(name=n, scale="numeric", role=role) for n, role in roles.items()]))
    ('age', 'pay', 'weight')
    """
    if scenario:
        return known_columns(schema, scenario)
    return tuple(a.name for a in schema if a.role not in ("identifier", "household"))


def check_outside(owner: str, known: Schema, outside: Table | None, names: tuple[str, ...]) -> Table:
    """The people outside, if there are any and they have the columns."""
    if outside is None or not outside.n:
        raise DataError(
            f"{owner} compares the people in the file with others of the same population: "
            "give a file with some of them (--outside), or let the job be rehearsed."
        )
    for name in names:
        if name not in outside:
            raise DataError(f"{owner}: the file of people outside has no column {name}.")
        if outside.schema[name].is_numeric != known[name].is_numeric:
            raise DataError(
                f"{owner}: column {name} is {known[name].scale} in the original and "
                f"{outside.schema[name].scale} in the file of people outside."
            )
    return outside
