"""Analyses that a schema declares: a table, a mean by group, or a regression, by the name it has there."""

from itertools import combinations

from sfumato.data import Table
from sfumato.data.declarations import Analysis
from sfumato.measures.analyses.contract import Kind
from sfumato.measures.analyses.regressions import Regressions
from sfumato.measures.analyses.subgroups import Subgroups
from sfumato.measures.analyses.tables import Tables

DEEPEST = 6  # columns of a table that is compared cell by cell


def declared_kind(analysis: Analysis, original: Table) -> Kind:
    """One analysis; a table of very many columns is compared by its triples."""
    if analysis.regression:
        return Regressions(original, [(analysis.regression, *analysis.on)])
    if analysis.mean:
        return Subgroups(original, [(analysis.mean, *analysis.by)])
    deep = len(analysis.table) > DEEPEST
    return Tables(original, list(combinations(analysis.table, 3)) if deep else [analysis.table])
