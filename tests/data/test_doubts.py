import datetime

import numpy as np
import pyarrow as pa
import pytest

from sfumato.data import Declared, propose
from sfumato.data.value_counts import value_counts

RNG = np.random.default_rng(7)


def proposal(name, values, declared=None):
    arrow = pa.table({"sex": ["f"] * len(values), name: values})
    return propose(arrow, {name: declared} if declared else None)


def days(n, span):
    return [datetime.date(1950, 1, 1) + datetime.timedelta(int(d)) for d in RNG.integers(0, span, n)]


AMOUNTS = np.round(RNG.lognormal(7, 1, 500), 2)
SENTENCES = [f"I waited {i % 90} days and nobody came" for i in range(500)]


@pytest.mark.parametrize(
    ("name", "values", "doubt"),
    [
        ("x", AMOUNTS, "different values among 500 tell people apart"),
        ("x", RNG.choice(10**6, 500, replace=False), "500 different values among 500 tell people apart"),
        ("x", [f"N{i // 2}" if i < 300 else f"M{i}" for i in range(500)], "350 different values among 500"),
        ("x", SENTENCES, "free text"),
        ("dob", days(500, 20_000), "dates of birth"),
        ("date_of_birth", [str(day) for day in days(12, 20_000)], "dates of birth"),
        ("BirthDate", [f"{day:%d/%m/%Y}" for day in days(500, 20_000)], "dates of birth"),
        ("birthday", [int(f"{day:%Y%m%d}") for day in days(500, 20_000)], "dates of birth"),
        ("x", days(5000, 4000), "different dates"),
        (
            "x",
            [None] * 490 + [f"self-employed beekeeper {i}" for i in range(10)],
            "10 different values among 10",
        ),
    ],
)
def test_columns_that_should_not_leave_by_themselves(name, values, doubt):
    found = proposal(name, values)
    assert doubt in found.doubts[name]
    assert found.reasons[name].endswith(f"; doubtful: {found.doubts[name]}")
    numeric = found.schema[name].is_numeric
    assert numeric or found.schema[name].role == "identifier"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", RNG.integers(0, 99, 500)),
        ("hours", RNG.integers(0, 80, 500)),
        ("birth_year", RNG.integers(1930, 2005, 500)),
        ("x", RNG.choice(["I agree with all of it", "I do not agree with it"], 500)),
        ("interviewed", days(500, 60)),
        ("x", np.round(AMOUNTS, -3)),
        ("weight", AMOUNTS),
        ("x", [None] * 498 + ["yes"] * 2),
        ("x", list(AMOUNTS[:19])),
    ],
)
def test_answers_and_codes_are_not_doubted(name, values):
    assert not proposal(name, values).doubts


def test_values_that_have_labels_are_codes():
    texts = [f"one of the long labels {i % 60}" for i in range(100)]
    assert "x" in proposal("x", texts).doubts
    assert "x" not in proposal("x", texts, Declared(labels=dict.fromkeys(texts, "a label"))).doubts


def test_a_key_by_name_stays_one():
    found = proposal("postcode", [f"AB{i} 9XY" for i in range(60)])
    assert found.schema["postcode"].role == "key" and "postcode" in found.doubts


@pytest.mark.parametrize("most", [100, 500, 10_000])
def test_values_are_counted_in_any_number_of_turns(most):
    values = RNG.integers(0, 2000, 3000).astype(float)
    values[::10] = np.nan
    present = values[~np.isnan(values)]
    _, times = np.unique(present, return_counts=True)
    found = value_counts(lambda: np.array_split(values, 7), most=most)
    assert found == (len(times), (times == 1).sum())
