"""What the measures mean, in plain words for the reader of a report."""

import inspect
from dataclasses import dataclass

from sfumato.core import UnknownNameError, registry
from sfumato.measures._scores import Estimate, Score

SENTENCES = {
    "information_loss": "Loss of all key attributes in one number: 0 if they are as they were, 100 if nothing of them is left. Numbers are judged by sse (or pil), categories by dbil, ctbil and ebil, each kind by its number of columns.",
    "sse": "How far numbers were moved, compared with how much they vary by themselves. At 100 every value could as well be the mean of its column.",
    "pil": "How surely somebody who analyses the release would notice that quantiles, means, variances, covariances and correlations are not those of the original. Differences that chance alone would explain count little.",
    "moments": "How much values, means, variances, covariances and correlations changed, compared with what they were. It has no upper end: what was near zero counts for much.",
    "dbil": "How far categories were moved: the share of the full distance between categories, averaged over records and columns.",
    "ctbil": "How many records would have to move for the counts by one and by two columns to be right again.",
    "ebil": "How uncertain a reader must be about the true category after seeing the released one. At 100 the released category says nothing.",
    "disclosure_risk": "How much an intruder who knows original values gets from the release: the mean of interval disclosure and record linkage (by distance unless asked otherwise). 0 is nothing, 100 is everything.",
    "distance_linkage": "Records that an intruder would find again by looking for the nearest original record.",
    "people_found": "People whose record an intruder who knows their key values would find in the release, by the best of many ways to look for it. To be compared with the part “guess”: what the same intruder finds in a file that says nothing about anybody.",
    "probabilistic_linkage": "Records that an intruder would find again by weighing in which columns two records agree. The parts m and u say how often a column agrees for records that belong together, and for others.",
    "rank_swapping_linkage": "Records that an intruder would find again who knows how far values were swapped. It tells something only about files made by rank swapping.",
    "balance": "Loss and risk in one number: the larger of them, unless another combination was asked for.",
    "interval_disclosure": "Values that can still be guessed closely from the released value, averaged over narrow and wide guesses.",
    "k_anonymity": "Records whose combination of key values is shared by too few others. The part “smallest” is the size of the smallest group.",
    "log_likelihood": "How surprising the released categories are to somebody who knows the original ones and how they were masked. It is 0 where each category always becomes the same one.",
    "bivariate": "How many records would have to move for the counts by two columns to be right again.",
    "chi_square": "How much the association between pairs of columns changed, compared with what it was. At 100 it may be gone; above 100 it is more than doubled.",
    "clustering": "How differently the released records fall into groups of similar ones. At 0 the groups are the same people.",
    "record_distance": "How far each cell was moved. At 100 every cell could as well be that of somebody else.",
    "subgroup_means": "How far means and shares by subgroup (by sex, by region, by quarters of income) lie from the original ones. Totals that are right do not help where the wrong people are in a subgroup.",
    "regression": "How far predictions of each column from all the others are off, if the relations are learned from the release. 0 is the same relations; the more a column depended on others, the more there is to lose.",
    "propensity": "How well a model that knows means, spreads and relations of pairs can tell released records from original ones. At 0 it can only toss a coin, at 100 it is always sure. The part “null” is what another sample of the same people would have.",
    "analyst_loss": "How much worse off somebody who analyses the release is than with another sample of the same people: tables, breakdowns, regressions and models over all released columns. At 0 nobody could tell the difference from another sample; at 10 a tenth of what the file says about how its columns hang together is lost; at 100 all of it, as if each column had been shuffled by itself.",
    "il1s": "How far numbers were moved, compared with how far the values of two people chosen at random lie apart. At 100 every value could as well be somebody else's; it has no upper end.",
    "granularity": "How coarse the released values are: the share of its domain that a value covers. At 0 every value is as fine as it was, at 100 all are blanked. Values that were exchanged or disturbed count as fine.",
    "discernibility": "How many records share their key values with many others, large groups counting more. At 0 records can be told apart as well as in the original, at 100 all are alike.",
    "average_class_size": "How large the groups of records with equal key values are on average. At 0 they are as in the original, at 100 all records are one group.",
    "non_uniform_entropy": "How much of the information in the original categories the released ones no longer give. At 0 the released category tells the original one, at 100 it tells nothing.",
    "l_diversity": "Records in a group of equal key values that has too few different sensitive values, so that who knows the group knows the value. The part “smallest” is the least diversity of a group.",
    "t_closeness": "Records in a group of equal key values whose sensitive values are distributed much unlike those of the whole file. The part “largest” is the farthest group's distance.",
    "membership": "How much better than by a guess an intruder can tell who was in the file: in so many more of a hundred pairs of a person inside and a person outside she is right, compared with a file that knows none of them. 0 is a guess, some 50 is always right. The parts are how often each of two attackers is right, each beside its control.",
    "copies": "How many people stand in the release with what only they have, the whole record or a number, beyond coincidence. At 0 that happens no more often than to people who were never in the file; at 100 everybody who is unique is there.",
    "learned": "How much better confidential values are guessed for people in the file than for people who were not, with all that the release teaches. What is learned about everybody does not count: 0 is nothing more for those inside. Chance makes small files differ by a few points, as the interval says.",
    "individual_risk": "Records that an intruder who knows the key values is expected to find in the population: 0.1 is one record in a thousand. Where survey weights are declared a record stands for many people and is harder to find; the part “unweighted” is the value for one who knows who took part.",
    "household_risk": "Records whose household an intruder is expected to find, through any of its members. Without a column that says who lives together it is the individual risk.",
    "household_anonymity": "Households that too few others are like, in what their members share and in how many they are. The part “smallest” is the least number of households that are alike.",
    "broken_rules": "Records that cannot be, by the rules that the schema declares. At 0 nobody sees by an impossible record that the file was changed.",
    "reidentification_risk": "Records that are found on average by an intruder who picks among all who are alike: a prosecutor knows who took part, a journalist and a marketer do not. The part “at_risk” counts records that are found more often than the threshold.",
    "k_map": "Records whose combination of key values fits too few people of the population, as survey weights estimate them. The part “smallest” is the least number of people that a combination fits.",
    "suda2": "Records that are alone already in a few key values (a young widow), weighed by how likely it is that a match with them is right. The parts by column say which columns single people out.",
    "risky_combinations": "Records that are rare in some combination of a few key values. An intruder need not know all keys to find them.",
    "population_uniques": "People who are alone with their key values in the whole population, as models of how people spread estimate from the release. 0 is nobody, 100 everybody.",
    "log_linear_risk": "Records that are alone in the release and expected to be found in the population, by a model of how the key values go together.",
    "expectation_ratio": "How likely a released category is the true one, averaged over the original categories.",
}

TITLES = {
    "sse": "SSE",
    "pil": "PIL",
    "dbil": "DBIL",
    "ctbil": "CTBIL",
    "ebil": "EBIL",
    "k_anonymity": "k-anonymity",
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
    "chi_square": "χ² difference",
    "k_map": "k-map",
    "suda2": "SUDA2",
    "reidentification_risk": "Re-identification risk",
    "il1s": "IL1s",
    "non_uniform_entropy": "Non-uniform entropy",
}

# parts that are counts or sums; all other parts of the package's own measures are percentages
COUNTS = {
    "k_anonymity": ("smallest", "classes"),
    "ctbil": ("raw", "actbil"),
    "l_diversity": ("smallest",),
    "individual_risk": ("expected",),
    "household_risk": ("expected",),
    "household_anonymity": ("smallest", "households"),
    "broken_rules": ("records", "rules"),
    "k_map": ("smallest",),
    "population_uniques": ("expected",),
    "log_linear_risk": ("expected",),
    "average_class_size": ("mean", "classes"),
}


@dataclass(frozen=True)
class Explanation:
    """A measure for people: its name in words, a sentence, and the definition in full."""

    title: str
    sentence: str
    definition: tuple[str, ...]


def explanation(measure: str) -> Explanation:
    """Explain a measure; one that nobody wrote a sentence for is explained by its summary.

    >>> explanation("sse").title, explanation("distance_linkage").title
    ('SSE', 'Distance linkage')
    >>> explanation("ctbil").definition[0]
    "CTBIL = 100 · Σ_tables Σ_cells |a − a'| / (2 · n · number of tables)."
    """
    try:
        summary = registry.summary("measures", measure)
        text = inspect.getdoc(registry.load("measures", measure)) or ""
    except UnknownNameError:  # judged elsewhere, by a package that is not installed here
        summary = text = ""
    return Explanation(title(measure), SENTENCES.get(measure, summary), _paragraphs(text))


def title(measure: str) -> str:
    words = measure.replace("_", " ")
    return TITLES.get(measure, words[:1].upper() + words[1:])


def is_bounded(measure: str) -> bool:
    """Whether no value of a measure is above 100, so that a bar can show it; of one that is not known here it is not.

    >>> is_bounded("ctbil"), is_bounded("sse")
    (True, False)
    """
    try:
        found: bool = registry.load("measures", measure.partition("(")[0]).bounded
    except UnknownNameError:
        return False
    return found


def is_percentage(measure: str, part: str) -> bool:
    """Whether a part of a measure is a percentage and not a count."""
    return part not in COUNTS.get(measure, ())


def loss_in_words(loss: float) -> str:
    """What a loss in percent means for those who will use the file."""
    if loss < 10:
        return "Small: the key attributes are close to what they were."
    if loss < 30:
        return "Moderate: large groups keep their shape, detail is blurred."
    if loss < 60:
        return "Large: expect clear differences in breakdowns by several attributes."
    return "Very large: little of the key attributes is left to analyse."


def risk_in_words(risk: float) -> str:
    """What a risk in percent means for the people in the file."""
    if risk < 10:
        return "Low: an intruder who knows original values learns little."
    if risk < 30:
        return "Moderate: some records or values can still be recognised."
    if risk < 60:
        return "High: many records or values can still be recognised."
    return "Very high: most records or values can still be recognised."


def _paragraphs(docstring: str) -> tuple[str, ...]:
    """The docstring of a measure without its examples and without marks for the documentation."""
    prose = docstring.partition(">>>")[0].replace("`", "").replace("*", "")
    return tuple(" ".join(part.split()) for part in prose.split("\n\n") if part.strip())


def estimate_in_words(score: Score) -> str:
    """How sure a score is that was found from a sample; empty where nothing is left to chance.

    >>> estimate_in_words(Estimate(measure="x", value=2, parts={}, seconds=0, low=1, high=3.25, sample=10_000))
    'estimated from 10,000 records, 95 % interval 1.00 to 3.25'
    """
    if not isinstance(score, Estimate) or score.low == score.high:
        return ""
    return f"estimated from {score.sample:,} records, 95 % interval {score.low:.2f} to {score.high:.2f}"
