import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_strategies import TEXTS, categorical_attributes, numeric_attributes

from sfumato.core import DataError, FileError, UnknownNameError
from sfumato.data import ROLES, Attribute, Hierarchy, Schema

BOUNDS = st.integers(-(10**9), 10**9).map(float)


@st.composite
def rich_attributes(draw, name):
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(BOUNDS, BOUNDS)))
        return draw(numeric_attributes(name)).evolve(low=low, high=high, label=draw(st.text(max_size=5)))
    attribute = draw(categorical_attributes(name)).evolve(role=draw(st.sampled_from(ROLES)))
    if draw(st.booleans()):
        rows = tuple((category, "parent", "root") for category in attribute.categories)
        attribute = attribute.evolve(hierarchy=Hierarchy(rows))
    if draw(st.booleans()):
        attribute = attribute.evolve(covers={attribute.categories[0]: ("p", "q")})
    return attribute


@st.composite
def schemas(draw):
    names = draw(st.lists(TEXTS, unique=True, min_size=1, max_size=4))
    return Schema([draw(rich_attributes(name)) for name in names])


@settings(max_examples=50, deadline=None)
@given(schemas())
def test_toml_round_trip(schema):
    back = Schema.from_toml(schema.to_toml())
    assert back == schema
    assert back.names == schema.names
    assert back.to_toml() == schema.to_toml()


SCHEMA = Schema([Attribute(name="age", scale="numeric", role="key"), Attribute(name="sex", scale="nominal")])


def test_a_schema_is_a_value():
    assert SCHEMA.with_roles({"sex": "key"}).with_role("key") == ("age", "sex")
    assert SCHEMA.with_role("key") == ("age",)
    assert SCHEMA.select(["sex"]).names == ("sex",)
    assert SCHEMA.replace([Attribute(name="sex", scale="ordinal")])["sex"].scale == "ordinal"
    assert hash(SCHEMA) == hash(Schema(SCHEMA))
    assert SCHEMA.select(["sex", "age"]) != SCHEMA
    assert "age" in SCHEMA and len(SCHEMA) == 2


@pytest.mark.parametrize(
    "call",
    [lambda: SCHEMA["agee"], lambda: SCHEMA.select(["agee"]), lambda: SCHEMA.with_roles({"agee": "key"})],
)
def test_unknown_columns(call):
    with pytest.raises(UnknownNameError, match=r"^Unknown column 'agee'\. Did you mean age\?$"):
        call()


def test_names_are_unique():
    with pytest.raises(DataError, match=r"^Two columns are called 'a': names must be unique\.$"):
        Schema([Attribute(name="a", scale="numeric")] * 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[attributes.a\n", r"^s\.toml: not valid TOML: "),
        ("", r"^s\.toml: a schema holds one table"),
        ("x = 1\n[attributes.a]\nscale='numeric'", r"^s\.toml: a schema holds one table"),
        ("[attributes]\na = 1", r"^s\.toml: \[attributes\.a\] must be a table\.$"),
        ("[attributes.a]\nscale = 'big'", r"^s\.toml, \[attributes\.a\]: Invalid enum value 'big'"),
        ("[attributes.a]\nrole = 'key'", r"^s\.toml, \[attributes\.a\]: .*`scale`"),
        (
            "[attributes.a]\nscale = 'numeric'\nlow = 2\nhigh = 1",
            r"^s\.toml, \[attributes\.a\]: Column a: low must not exceed high\. Got 2 > 1\.$",
        ),
        (
            "[attributes.a]\nscale = 'nominal'\nhierarchy = [['x', 'y'], ['x', 'z']]",
            r"^s\.toml, \[attributes\.a\]: Hierarchy row 2: category 'x' has a path already\.$",
        ),
        (
            "[attributes.a]\nscale = 'nominal'\ncategories = ['q']\nhierarchy = [['x', 'y']]",
            r"^s\.toml, \[attributes\.a\]: Column a: the hierarchy has no path for category 'q': add a row\.$",
        ),
    ],
)
def test_refusals_name_file_column_and_rule(text, message):
    with pytest.raises(DataError, match=message):
        Schema.from_toml(text, source="s.toml")


def test_hierarchy_files_lie_beside_the_schema(tmp_path):
    (tmp_path / "places.csv").write_text("Reus,Catalonia\nSoria,Castile\n")
    (tmp_path / "s.toml").write_text('[attributes.town]\nscale = "nominal"\nhierarchy = "places.csv"\n')
    assert Schema.read(tmp_path / "s.toml")["town"].hierarchy.leaves == ("Reus", "Soria")


def test_schema_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match=r"^Schema file .*no\.toml does not exist\.$"):
        Schema.read(tmp_path / "no.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff")
    with pytest.raises(FileError, match=r"^Schema file .*b\.toml cannot be read as UTF-8 text\.$"):
        Schema.read(tmp_path / "b.toml")
