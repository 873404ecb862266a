"""Small files with a group that gathers, and problems of hiding it: what the tests of swaps share."""

import numpy as np

from sfumato.data import Attribute, Schema, Table
from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.signals import RecordPlaces
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.wanted_signal import target
from sfumato.search.problems.group_swaps import GroupSwaps

PLACES = ("Drum", "Essex", "Kings", "Point", "Ulster", "Yates", "Wayne", "Tioga")
BASIC = ("age", "sex", "travel")
METRIC = InfluentialMetric(attributes=BASIC, ordinal=("age",))


def small_table(n: int = 240, seed: int = 0, crowd: int = 18) -> Table:
    """People of eight places; `crowd` members of the group in Drum, a few elsewhere; some values missing."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, len(PLACES), n)
    place[: crowd + 5] = 0
    place[-2:] = -1
    soldier = rng.random(n) < 0.08
    soldier[:crowd] = True
    age = rng.integers(18, 60, n).astype(float)
    age[rng.random(n) < 0.05] = np.nan
    attributes = [
        Attribute(name="age", scale="numeric", decimals=0),
        Attribute(name="sex", scale="nominal", categories=("f", "m")),
        Attribute(name="travel", scale="nominal", categories=("walks", "bus", "car")),
        Attribute(name="place", scale="nominal", categories=PLACES, missing=("?", "!")),
        Attribute(name="county", scale="nominal", categories=PLACES),
        Attribute(name="soldier", scale="nominal", categories=("no", "yes")),
    ]
    columns = {
        "age": age,
        "sex": rng.integers(0, 2, n),
        "travel": rng.integers(-1, 3, n),
        "place": place,
        "county": place,
        "soldier": soldier.astype(np.int8),
    }
    reasons = np.zeros(n, np.int8)
    reasons[-2:] = (1, 2)
    return Table(Schema(attributes), columns, reasons={"place": reasons})


def small_files(table: Table) -> Submicrofiles:
    """The table by place, with its soldiers as the group."""
    return Submicrofiles(RecordPlaces(PLACES, table["place"].astype(np.int32)), table["soldier"] == 1)


def small_problem(seed: int = 0, **wanted) -> GroupSwaps:
    """Hide Drum."""
    table = small_table(seed=seed)
    files = small_files(table)
    return GroupSwaps(files, METRIC.points(table), METRIC, target(files, ["Drum"], **wanted))
