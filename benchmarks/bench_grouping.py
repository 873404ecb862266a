"""Grouping the attributes of Census for k = 25: GOMM and D-GOMM as the source runs them; minutes, so only by name.

    python -m benchmarks --only grouping

100 generations of 25 crossovers and 50 mutations, a population of 200. The first time is that of the clock
on two processes, their start included; the others are of one processor.
"""

import time
from collections.abc import Iterator

from benchmarks.timing import Row
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import Table
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_search import GroupingSearch, search_groupings
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.stop import Stop

LONG = True
SECONDS = 60.0


def rows() -> Iterator[Row]:
    try:
        census = datasets.load("census")
    except FileError:
        return
    table = census.select(census.names[:12])
    _searched(table, dynamic=False, generations=1)  # compiles the kernels
    start = time.perf_counter()
    _searched(table, dynamic=False, workers=2)
    yield Row("gomm census k=25, two processes", time.perf_counter() - start, bar=SECONDS, digits=2)
    spent, full = _timed(table, dynamic=False)
    less, dynamic = _timed(table, dynamic=True)
    best, judged = full.run.score, float(full.run.evaluations)
    yield Row("gomm census k=25, one processor", spent, digits=2)
    yield Row("d-gomm census k=25, one processor (twin: gomm)", less, bar=spent, twin=spent, digits=2)
    yield Row(
        "d-gomm: groupings judged (twin: gomm)", float(dynamic.run.evaluations), "", twin=judged, digits=0
    )
    yield Row("d-gomm: score (twin: gomm)", dynamic.run.score, "", bar=best, twin=best)
    for name, search in (("gomm", full), ("d-gomm", dynamic)):
        yield Row(f"{name}: groupings known before", search.analytics.cached, "%", digits=1)


def _timed(table: Table, *, dynamic: bool) -> tuple[float, GroupingSearch]:
    start = time.process_time()
    found = _searched(table, dynamic=dynamic)
    return time.process_time() - start, found


def _searched(table: Table, *, dynamic: bool, generations: int = 100, workers: int = 1) -> GroupingSearch:
    problem = AttributeGrouping(table, k=25)
    effort = Effort(stop=Stop(generations=generations), workers=workers)
    return search_groupings(problem, Gomm(dynamic=dynamic), effort)
