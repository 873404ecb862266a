"""Requirements in words: what a gate asks of a release, as a board would read it."""

from sfumato.core import ParameterError
from sfumato.measures import is_percentage, title

# by measure and part; {most} is the limit as a share of people, {limit} the number itself, {part} the part's name
AT_MOST = {
    ("people_found", ""): "an intruder finds at most {most}",
    ("people_found", "certain"): "an intruder can be certain of at most {most}",
    (
        "learned",
        "",
    ): "no confidential value is inferred more than {limit} points better for people in the file than for "
    "people outside it",
    (
        "learned",
        "*",
    ): "{part} is inferred at most {limit} points better for people in the file than for people outside it",
    (
        "membership",
        "",
    ): "who was in the survey can be told at most {limit} points better than without the release",
    (
        "copies",
        "",
    ): "of what only one person has, at most {limit} % more stands in the release than chance brings about",
    (
        "analyst_loss",
        "",
    ): "analyses lose at most {limit}, where 0 is another sample and 100 columns that are unrelated",
    (
        "individual_risk",
        "",
    ): "on average a record is found in the population with a chance of at most {limit} %",
    ("individual_risk", "largest"): "no record is found in the population with a chance above {limit} %",
    ("individual_risk", "expected"): "at most {limit} records are expected to be found in the population",
    (
        "household_risk",
        "",
    ): "on average the household of a record is found in the population with a chance of at most {limit} %",
    ("household_risk", "largest"): "no household is found in the population with a chance above {limit} %",
    ("broken_rules", ""): "at most {limit} % of the records are impossible by the declared rules",
    ("distance_linkage", ""): "at most {most} have their own original as the nearest record",
    ("information_loss", ""): "the information loss of the literature is at most {limit} %",
    ("disclosure_risk", ""): "the disclosure risk of the literature is at most {limit} %",
}
AT_LEAST = {
    (
        "k_anonymity",
        "smallest",
    ): "every combination of key values that occurs is shared by at least {limit} records",
    (
        "household_anonymity",
        "smallest",
    ): "what is seen of a household, its number of members among it, is shared by at least {limit} households",
    (
        "l_diversity",
        "smallest",
    ): "every group of records with the same key values has at least {limit} different confidential values",
}


def requirement_in_words(measure: str, part: str, *, least: bool, limit: float) -> str:
    """What a measure, or a part of it, has to be.

    >>> requirement_in_words("people_found", "", least=False, limit=1)
    'an intruder finds at most 1 person in 100'
    >>> requirement_in_words("k_anonymity", "smallest", least=True, limit=5)
    'every combination of key values that occurs is shared by at least 5 records'
    >>> requirement_in_words("pil", "", least=False, limit=20)
    'PIL is at most 20 %'
    """
    known = AT_LEAST if least else AT_MOST
    words = known.get((measure, part)) or known.get((measure, "*" if part else ""))
    if words is None or (part and (measure, part) not in known and (measure, "*") not in known):
        named = f"{title(measure)} ({part})" if part else title(measure)
        unit = " %" if is_percentage(measure, part) else ""
        return f"{named} is at {'least' if least else 'most'} {limit:g}{unit}"
    told = words.format(limit=f"{limit:g}", part=part, most=_share(limit))
    return told.replace("at most nobody", "nobody")


def _share(percent: float) -> str:
    """A percentage as a number of people.

    >>> [_share(limit) for limit in (5, 0.1, 0)]
    ['5 people in 100', '1 person in 1,000', 'nobody']
    """
    if percent < 0:
        raise ParameterError(f"A share of people is at least 0. Got {percent:g}.")
    if percent == 0:
        return "nobody"
    of = next((unit for unit in (100, 1_000, 10_000) if percent * unit / 100 >= 1), 100_000)
    count = percent * of / 100
    return f"{count:g} {'person' if count == 1 else 'people'} in {of:,}"
