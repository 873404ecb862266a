import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import Method, ParameterError, UnknownNameError, param, parameters


class Example(Method):
    """A method with one parameter of each kind."""

    k: int = param(default=5, low=1, high=100, help="an integer")
    p: float = param(default=0.5, low=0, high=1, help="a number")
    fast: bool = param(default=False, help="a switch")
    how: str = param(default="mean", choices=("mean", "median"), help="a choice")
    columns: tuple[str, ...] = param(default=(), help="a list")
    limit: int | None = param(default=None, low=0, help="an optional integer")

    def check(self) -> None:
        if self.fast and self.how == "median":
            raise ParameterError("test_method: the median is never fast.")


def test_equal_parameters_make_equal_methods():
    assert Example(k=3) == Example(k=3) != Example(k=4)
    assert hash(Example(k=3)) == hash(Example(k=3))
    assert pickle.loads(pickle.dumps(Example(k=3, columns=("a",)))) == Example(k=3, columns=("a",))


def test_methods_are_frozen_and_keyword_only():
    with pytest.raises(AttributeError):
        Example().k = 3
    with pytest.raises(TypeError):
        Example(3)


def test_the_name_is_the_name_of_the_file():
    assert Example.name == "test_method"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"k": 0}, "test_method: k must be an integer from 1 to 100. Got 0."),
        ({"k": 101}, "test_method: k must be an integer from 1 to 100. Got 101."),
        ({"k": 2.5}, "test_method: k must be an integer from 1 to 100. Got 2.5."),
        ({"k": "5"}, "test_method: k must be an integer from 1 to 100. Got '5'."),
        ({"k": True}, "test_method: k must be an integer from 1 to 100. Got True."),
        ({"k": None}, "test_method: k must be an integer from 1 to 100. Got None."),
        ({"p": float("nan")}, "test_method: p must be a number from 0 to 1. Got nan."),
        ({"p": float("inf")}, "test_method: p must be a number from 0 to 1. Got inf."),
        ({"fast": 1}, "test_method: fast must be true or false. Got 1."),
        ({"how": "mode"}, "test_method: how must be one of mean, median. Got 'mode'."),
        ({"columns": "abc"}, "test_method: columns must be a list, each item a text. Got 'abc'."),
        ({"columns": ["a", 1]}, "test_method: columns must be a list, each item a text. Got 1."),
        ({"limit": -1}, "test_method: limit must be an integer of at least 0 or nothing. Got -1."),
        ({"fast": True, "how": "median"}, "test_method: the median is never fast."),
    ],
)
def test_wrong_values_are_refused_with_the_rule(given, sentence):
    with pytest.raises(ParameterError) as refusal:
        Example(**given)
    assert str(refusal.value) == sentence
    assert isinstance(refusal.value, ValueError)


def test_unknown_parameters_get_a_suggestion():
    with pytest.raises(
        UnknownNameError,
        match=r"Unknown parameter of test_method 'colums'. Did you mean columns\? Known: columns, fast, how, k, ",
    ):
        Example.from_parameters({"colums": []})


def test_a_parameter_hides_nothing_that_every_method_has():
    for name in ("plain", "spec", "convert", "non_defaults"):
        with pytest.raises(TypeError, match=f"^{name}: every method can be asked for this"):
            type("Hiding", (Method,), {"__annotations__": {name: int}, name: param(default=1, help="hides")})


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        (
            "sizes",
            dict,
            "sizes: a parameter is an int, float, bool, str, path, a class that can convert, or a tuple",
        ),
        ("sizes", tuple[bytes, ...], "sizes: a parameter is an int, float, bool"),
        ("method", str, "method: a spec names the method by this word"),
    ],
)
def test_a_parameter_is_of_a_kind_that_can_be_written_down(name, kind, sentence):
    kept = {"__annotations__": {name: kind}, name: param(default=None, help="a kind of its own")}
    with pytest.raises(TypeError, match=f"^{sentence}"):
        parameters(type("Odd", (Method,), kept))


def test_numpy_scalars_and_whole_floats_become_plain_values():
    made = Example(k=np.int64(7), p=1, columns=["a"])
    assert (type(made.k), type(made.p), made.columns) == (int, float, ("a",))


@given(
    k=st.integers(1, 100),
    p=st.floats(0, 1),
    columns=st.lists(st.text(), max_size=3),
    limit=st.none() | st.integers(0, 9),
)
def test_a_spec_survives_json(k, p, columns, limit):
    method = Example(k=k, p=p, columns=tuple(columns), limit=limit)
    spec = json.loads(json.dumps(method.spec()))
    assert spec.pop("method") == "test_method"
    assert Example.from_parameters(spec) == method


def test_parameters_are_described_once():
    described = parameters(Example)["k"]
    assert (described.default, described.low, described.high, described.help) == (5, 1, 100, "an integer")
    assert parameters(Example)["columns"].repeated
    assert parameters(Example)["limit"].optional
