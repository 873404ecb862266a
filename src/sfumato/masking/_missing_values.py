"""What becomes of missing values where groups of records are released alike."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sfumato.data import MISSING, Attribute, Table

# the first two as in the measure k_anonymity
READINGS = ("category", "any", "impute")
HELP = (
    "what a missing value is like: a category of its own (a group releases one value for all, or missing for all), "
    "any value (it stays missing), or the values of its group (it takes theirs)"
)


def with_gaps(X: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Points without NaN: a missing value stands at 0, and so far apart from all values of its column.

    That is one more dimension for each column with a missing value. Points without any stay as they are.

    >>> with_gaps(np.array([[2.0, np.nan], [3.0, 4.0]]), np.array([1.0, 0.5])).tolist()
    [[2.0, 0.0, 0.5], [3.0, 4.0, 0.0]]
    """
    missing = np.isnan(X)
    touched = missing.any(axis=0)
    if not touched.any():
        return X
    return np.column_stack([np.where(missing, 0.0, X), missing[:, touched] * apart[touched]])


def groups_without_value(gone: np.ndarray, labels: np.ndarray, missing: str) -> np.ndarray:
    """Which groups release no value of a column, where their records are alike; `missing` is the reading.

    >>> gone, labels = np.array([True, False, True, True]), np.array([0, 0, 1, 1])
    >>> [groups_without_value(gone, labels, missing).tolist() for missing in ("category", "impute")]
    [[True, True], [False, True]]
    """
    lost, sizes = np.bincount(labels, weights=gone), np.bincount(labels)
    found: np.ndarray = 2 * lost >= sizes if missing == "category" else lost == sizes
    return found


def released_by_groups(
    part: Table,
    columns: Mapping[str, np.ndarray],
    labels: np.ndarray,
    missing: str,
    attributes: Iterable[Attribute] = (),
) -> Table:
    """The part with the columns that its groups release, and with what becomes of missing values in them.

    Columns hold what each record's group releases if it releases a value; `missing` is one of the readings.
    With "category" that is where more than half of its records have a value, which changes the fewest cells,
    and lets no single record stand for its group. Where a group releases none, all its records have the
    commonest code for missing among those of them that had none (an empty cell, if codes are equally common).
    """
    found, reasons = dict(columns), {}
    for name, values in columns.items():
        gone = part.missing(name)
        if not gone.any():
            continue
        if missing == "any":
            hidden = gone
        else:
            hidden = groups_without_value(gone, labels, missing)[labels]
            reasons[name] = _commonest_reasons(part.reasons(name), gone, labels)
        found[name] = np.where(hidden, np.nan if part.schema[name].is_numeric else MISSING, values)
    return part.replace(found, attributes, reasons=reasons)


def blank(table: Table, names: Sequence[str], rows: np.ndarray) -> Table:
    """The table in which some columns are empty for some records."""
    columns, reasons = {}, {}
    for name in names if rows.any() else ():
        columns[name] = np.where(rows, np.nan if table.schema[name].is_numeric else MISSING, table[name])
        codes = table.reasons(name)
        reasons[name] = None if codes is None else np.where(rows, 0, codes)
    return table.replace(columns, reasons=reasons) if columns else table


def _commonest_reasons(reasons: np.ndarray | None, gone: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """The commonest reason in the group of each record, among those that miss a value."""
    if reasons is None:
        return None
    codes, groups = int(reasons.max()) + 1, int(labels.max()) + 1
    cells = labels[gone] * codes + reasons[gone]
    counts = np.bincount(cells, minlength=groups * codes).reshape(groups, codes)
    commonest: np.ndarray = counts.argmax(axis=1)[labels]
    return commonest
