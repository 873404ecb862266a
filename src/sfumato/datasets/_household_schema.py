"""The attributes of the made-up household survey."""

from sfumato.data import Attribute, Hierarchy, Schema
from sfumato.datasets._attributes import number

COUNTRY = "Valdarno"
PROVINCES = ("Arno", "Brenta", "Chiana", "Dora", "Elsa", "Fiora", "Garda", "Isarco")
PARTS = ("City", "Plain", "Hills")
REGIONS = tuple(f"{province} {part}" for province in PROVINCES for part in PARTS)
PATHS = Hierarchy(tuple((f"{p} {part}", p, COUNTRY) for p in PROVINCES for part in PARTS))

SEXES = ("female", "male")
MARITAL = (
    *("never married", "married", "registered partnership", "separated", "divorced", "widowed"),
    "partnership dissolved",  # no record: dissolved partnerships are still too few
)
EDUCATION = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master", "doctorate")
EMPLOYMENT = (
    *("child", "student", "employed", "self-employed", "unemployed", "retired", "at home", "unable to work"),
)
OCCUPATIONS = (
    *("managers", "professionals", "technicians", "clerks", "service and sales", "farmers", "craft workers"),
    *("machine operators", "elementary workers", "armed forces", "clergy", "notaries", "pilots", "fishers"),
    *("diplomats", "not in work"),  # no record is a diplomat
)
HEALTH = ("very good", "good", "fair", "bad", "very bad")

REASONS = ("refused", "don't know")
MONEY_CODES = dict(zip(("-9999998", "-9999999"), REASONS, strict=True))
HOURS_CODES = dict(zip(("-8", "-9"), REASONS, strict=True))


def schema() -> Schema:
    """Identifiers, keys, confidential answers and the weight of the survey."""
    return Schema([*_identifiers(), *_keys(), *_answers()])


def _identifiers() -> list[Attribute]:
    return [
        number("person_id", "number of the person in the register", role="identifier", low=0.0),
        number("household", "number of the household", role="household", low=0.0),
        number("person", "place of the person in the household", role="other", low=1.0, high=20.0),
    ]


def _keys() -> list[Attribute]:
    return [
        Attribute(
            name="region",
            scale="nominal",
            role="key",
            categories=REGIONS,
            hierarchy=PATHS,
            label="district of residence",
        ),
        number("age", "age in years", low=0.0, high=110.0),
        Attribute(name="sex", scale="nominal", role="key", categories=SEXES),
        _asked("marital", "marital status", MARITAL),
        _asked("education", "highest education completed", EDUCATION).evolve(scale="ordinal"),
        Attribute(name="employment", scale="nominal", role="key", categories=EMPLOYMENT),
        _asked("occupation", "occupation of those at work", OCCUPATIONS),
    ]


def _answers() -> list[Attribute]:
    hours = number("hours", "hours worked in a usual week", role="other", low=0.0, high=98.0)
    return [
        hours.evolve(missing=tuple(HOURS_CODES), labels=HOURS_CODES),
        _money("income", "income of the year before tax", 2, -100_000.0),
        _money("wealth", "net wealth of the household", 0, -1_000_000.0),
        _asked("health", "own view of health; not asked below 16", HEALTH).evolve(
            scale="ordinal", role="confidential"
        ),
        number("weight", "survey weight", decimals=2, role="weight", low=1.0),
    ]


def _asked(name: str, label: str, categories: tuple[str, ...]) -> Attribute:
    return Attribute(
        name=name, scale="nominal", role="key", categories=categories, missing=REASONS, label=label
    )


def _money(name: str, label: str, decimals: int, low: float) -> Attribute:
    codes = {"missing": tuple(MONEY_CODES), "labels": MONEY_CODES}
    return number(name, label, decimals=decimals, role="confidential", low=low, high=1e9, **codes)
