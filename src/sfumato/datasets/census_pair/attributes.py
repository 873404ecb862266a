"""The attributes of the census pair, in the codes of Table 3 of the source."""

from sfumato.data import Attribute
from sfumato.datasets._attributes import coded, number

NUMBERS = {
    "age": ("age in years", 16, 90),
    "hours": ("usual hours worked per week", 0, 99),
    "departure": ("time of departure for work, hours and minutes", 0, 2359),
    "travel_time": ("travel time to work, in minutes", 0, 180),
    "income": ("total personal income", -20_000, 5_000_000),
}
CODES = {
    "education": (
        "educational attainment",
        {
            "0": "no schooling",
            "1": "nursery school to grade 4",
            "2": "grade 5 to 8",
            "3": "grade 9",
            "4": "grade 10",
            "5": "grade 11",
            "6": "grade 12",
            "7": "1 year of college",
            "8": "2 years of college",
            "9": "3 years of college",
            "10": "4 years of college",
            "11": "5 or more years of college",
        },
    ),
    "sex": ("sex", {"1": "male", "2": "female"}),
    "race": (
        "race",
        {
            "1": "white",
            "2": "black",
            "3": "American Indian or Alaska native",
            "4": "Chinese",
            "5": "Japanese",
            "6": "other Asian or Pacific Islander",
            "7": "other race",
            "8": "two major races",
            "9": "three or more major races",
        },
    ),
    "hispanic": (
        "Hispanic origin",
        {"0": "not Hispanic", "1": "Mexican", "2": "Puerto Rican", "3": "Cuban", "4": "other"},
    ),
    "marital": (
        "marital status",
        {
            "1": "married, spouse present",
            "2": "married, spouse absent",
            "3": "separated",
            "4": "divorced",
            "5": "widowed",
            "6": "never married",
        },
    ),
    "transport": (
        "means of transportation to work",
        {
            "10": "car, truck or van",
            "20": "motorcycle",
            "30": "bus or streetcar",
            "33": "subway",
            "34": "railroad",
            "40": "bicycle",
            "50": "walked only",
            "60": "other",
            "70": "worked at home",
        },
    ),
    "weeks": (
        "weeks worked last year",
        {"1": "1-13", "2": "14-26", "3": "27-39", "4": "40-47", "5": "48-49", "6": "50-52"},
    ),
    "english": (
        "speaks English",
        {
            "1": "does not speak English",
            "3": "speaks only English",
            "4": "speaks it very well",
            "5": "speaks it well",
            "6": "speaks it, but not well",
        },
    ),
}
ORDERED = ("education", "weeks")
BASIC = (
    "age",
    "education",
    "sex",
    "race",
    "hours",
    "hispanic",
    "marital",
    "transport",
    "departure",
    "travel_time",
    "weeks",
    "income",
    "english",
)


def attributes(parameter: str, areas: tuple[str, ...], vital: str) -> list[Attribute]:
    """The 13 basic attributes, the parameter attribute and the vital one."""
    basic = [_number(name) if name in NUMBERS else _coded(name) for name in BASIC]
    place = Attribute(name=parameter, scale="nominal", role="key", categories=areas, label="area of work")
    told = coded(vital, "military personnel", {"0": "no", "1": "yes"}, role="confidential")
    return [*basic, place, told]


def _number(name: str) -> Attribute:
    label, low, high = NUMBERS[name]
    return number(name, label, low=low, high=high)


def _coded(name: str) -> Attribute:
    return coded(name, *CODES[name], scale="ordinal" if name in ORDERED else "nominal")
