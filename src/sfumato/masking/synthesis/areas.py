"""The column a file is broken down by: its stratum, or what is named like a place."""

from collections.abc import Sequence

from sfumato.data import Table
from sfumato.data.known_names import words_of

PLACES = """area areas arrondissement bezirk borough canton city comarca commune comuna comunidad counties county departement
    departamento district districts gemeinde geo geography kanton kommune kreis land landkreis location municipality
    municipio nuts oblast parish place prefecture province provincia provinz puma region regione regions rajon stadt
    state states statefip territory town village ward zip zipcode postcode postal"""
FEWEST_IN_EACH = 100  # records, on average


def area_column(table: Table, names: Sequence[str]) -> str | None:
    """The stratum, else the place with the most categories that still hold enough records; none if there is no such.

    >>> from sfumato.datasets import household_survey
    >>> people = household_survey(3000, seed=1)
    >>> area_column(people, people.names)
    'region'
    """
    strata = [name for name in table.schema.with_role("stratum") if name in names]
    places = [
        name
        for name in names
        if not table.schema[name].is_numeric
        and set(words_of(name)) & set(PLACES.split())
        and _is_divided(table, name)
    ]
    if strata:
        return strata[0]
    return max(places, key=lambda name: table.schema[name].domain_size, default=None)


def _is_divided(table: Table, name: str) -> bool:
    return 2 <= table.schema[name].domain_size <= table.n / FEWEST_IN_EACH
