"""One grammar for every part: what is written reads back as the same, and what cannot be read is one sentence."""

import dataclasses
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import Method, ParameterError, SfumatoError, notation, parameters, registry
from sfumato.masking import Chain, make_masking
from sfumato.masking._category_map import CategoryMap
from sfumato.search.maskings.gates import Gate

KINDS = ("masking", "measures", "attacks", "optimizers")
METHODS = [(kind, name) for kind in KINDS for name in registry.names(kind)]
AWKWARD = st.text(st.sampled_from(string.ascii_letters + " ,;()[]{}\"'=+-.äł\n\\"), max_size=8)


def values(parameter):
    """Values that a parameter may take, those of its bounds and awkward texts among them."""
    if parameter.choices:
        one = st.sampled_from(parameter.choices)
    elif parameter.type is bool:
        one = st.booleans()
    elif parameter.type is int:
        low = int(parameter.low) if parameter.low is not None else -(10**6)
        one = st.integers(low, int(parameter.high) if parameter.high is not None else low + 10**6)
    elif parameter.type is float:
        one = st.floats(parameter.low, parameter.high, allow_nan=False, allow_infinity=False)
    elif parameter.type is str:
        one = AWKWARD
    elif parameter.type is CategoryMap:
        one = st.sampled_from(
            [CategoryMap.convert("{rest = [a, b]}"), CategoryMap.convert('{"x y" = ["c, d"]}')]
        )
    elif parameter.type is Gate:
        return st.just(())  # a job gives them as values; inside brackets their texts are not read
    elif isinstance(parameter.type, type) and issubclass(parameter.type, Method):
        one = st.sampled_from(usable(parameter.type.registered_in))
    else:
        return st.nothing()
    if parameter.repeated:
        one = st.lists(one, min_size=parameter.holds or 0, max_size=parameter.holds or 3).map(tuple)
    return one | st.none() if parameter.optional else one


def usable(kind):
    """Methods of a kind as they are by default, where they need nothing."""
    found = []
    for name in registry.names(kind):
        try:
            found.append(registry.make(kind, name))
        except SfumatoError:
            continue
    return found


def drawn(data, method):
    """A method with some parameters drawn; combinations that it refuses are drawn with fewer of them."""
    known = parameters(method)
    needed = [name for name, p in known.items() if p.default is dataclasses.MISSING]
    names = data.draw(st.lists(st.sampled_from(sorted(known)), unique=True, max_size=4)) if known else []
    given = {name: data.draw(values(known[name])) for name in dict.fromkeys([*needed, *names])}
    while True:
        try:
            return method(**given)
        except SfumatoError:
            spare = [name for name in given if name not in needed]
            if not spare:
                return None
            del given[spare[-1]]


@pytest.mark.parametrize(("kind", "name"), METHODS, ids=lambda part: part)
@settings(max_examples=12)
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same(kind, name, data):
    method = drawn(data, registry.load(kind, name))
    if method is not None:
        assert registry.make(kind, method.plain()) == method
        assert registry.make(kind, method.spec()) == method


@given(data=st.data(), names=st.lists(st.sampled_from(["mdav", "pram", "noise"]), min_size=2, max_size=3))
@settings(max_examples=25)
def test_chains_read_back_as_the_same(data, names):
    steps = [drawn(data, registry.load("masking", name)) for name in names]
    chain = Chain(step for step in steps if step is not None)
    made = make_masking(chain.plain())
    assert made.sequence == chain.sequence


@given(st.lists(AWKWARD, max_size=4))
def test_lists_of_awkward_names_read_back(names):
    text = notation.written_value(tuple(names))
    assert notation.items(text) == names


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("mdav", "mdav", {}),
        (" mdav ( k = 5 ) ", "mdav", {"k": "5"}),
        ("mdav()", "mdav", {}),
        ("interval-disclosure(per-record=true)", "interval-disclosure", {"per_record": "true"}),
        ('x(a="b, c", d=[e, "f)"], g=h(i=1, j=[2]))', "x", {"a": '"b, c"', "d": '[e, "f)"]', "g": "h(i=1, j=[2])"}),
        ('x(a="say ""so"", then")', "x", {"a": '"say ""so"", then"'}),
        ("Unif PRAM(p=0.5)", "Unif PRAM", {"p": "0.5"}),
    ],
)  # fmt: skip
def test_texts_are_taken_apart(text, name, given):
    assert notation.named(text) == (name, given)


def test_quotes_are_for_what_needs_them():
    assert notation.items('age, "income, net", \'it\'\'s\', "say ""so"""') == [
        "age",
        "income, net",
        "it's",
        'say "so"',
    ]
    assert notation.items("worker's age, 5\" nails") == ["worker's age", '5" nails']
    assert notation.pieces("pram(attributes=[it's]) + mdav", "+") == ["pram(attributes=[it's])", "mdav"]
    assert registry.make("masking", 'mdav(attributes="income, net")').attributes == ("income, net",)
    assert registry.make("masking", "mdav(attributes=age)").attributes == ("age",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(k=5)",
        "mdav(k=5",
        "mdav k=5)",
        "mdav(k=5))",
        "mdav(k)",
        "mdav(=5)",
        "mdav(k=5, k=6)",
        "mdav(k=)",
        "mdav(k=five)",
        "mdav(k=5,)",
        "mdav(attributes=[age)",
        'mdav(attributes=["age])',
        "mdav(attributes=[age,,sex])",
        "mdav(kk=5)",
        "mdav; rm",
        "mdav + ",
        "+ mdav",
        "{mdav}",
        "[",
        '{"method": "mdav", "k": 0}',
    ],
)
def test_wrong_texts_are_refused_with_one_sentence(text):
    with pytest.raises(SfumatoError) as refusal:
        make_masking(text)
    sentence = str(refusal.value)
    assert sentence.endswith((".", "?")) and "\n" not in sentence
    assert refusal.value.status == 2


def test_unknown_parameters_are_told_with_all_that_are_known():
    with pytest.raises(SfumatoError) as refusal:
        registry.make("optimizers", "evolution(populaton=5)")
    known = ", ".join(sorted(parameters(registry.load("optimizers", "evolution"))))
    assert str(refusal.value) == f"Unknown parameter of evolution 'populaton'. Known: {known}."


def test_a_method_of_another_kind_is_told_as_such():
    with pytest.raises(ParameterError, match=r"^learned_linkage is an attack, and no measure\.$"):
        registry.make("measures", "learned_linkage")
    with pytest.raises(ParameterError, match=r"^mdav is a masking method, and no attack\.$"):
        registry.make("attacks", "mdav(k=3)")


def test_no_parameter_is_of_a_type_that_was_forgotten_here():
    for kind, name in METHODS:
        for parameter in parameters(registry.load(kind, name)).values():
            assert not values(parameter).is_empty or parameter.type is Path, (kind, name, parameter.name)
