"""The public arena's file, read with no options as `describe` reads it; skipped where it is not there."""

import pytest

from sfumato.core import FileError
from sfumato.data import Schema, propose_schema
from sfumato.datasets._classic_files import find

NOT_APPLICABLE = (
    *(
        "MSP",
        "NOC",
        "NPF",
        "INDP",
        "INDP_CAT",
        "EDU",
        "PINCP",
        "PINCP_DECILE",
        "POVPIP",
        "DVET",
        "DREM",
        "DPHY",
    ),
)


@pytest.fixture(scope="module")
def schema() -> Schema:
    try:
        path = find("nist/ma2019.csv")
    except FileError as error:
        pytest.skip(str(error))
    return propose_schema(path).schema


def test_n_is_not_applicable_and_no_category_among_numbers(schema: Schema) -> None:
    assert tuple(one.name for one in schema if "N" in one.structural) == NOT_APPLICABLE
    assert all("N" not in one.categories for one in schema)
    assert all(schema[name].is_numeric for name in ("AGEP", "PINCP", "POVPIP", "DENSITY", "PWGTP", "WGTP"))


def test_levels_are_in_the_order_of_their_numbers(schema: Schema) -> None:
    assert schema["EDU"].scale == schema["PINCP_DECILE"].scale == "ordinal"
    assert schema["EDU"].categories == tuple(map(str, range(1, 13)))
    assert schema["PINCP_DECILE"].categories == tuple(map(str, range(10)))


def test_weights_keys_and_income(schema: Schema) -> None:
    assert schema.with_role("weight") == ("PWGTP", "WGTP") and schema.weight == "PWGTP"
    known = {"AGEP", "SEX", "RAC1P", "MSP", "PUMA", "HISP", "HOUSING_TYPE", "OWN_RENT"}
    assert known <= {*schema.with_role("key")}
    assert {"PINCP", "PINCP_DECILE", "POVPIP"} <= {*schema.with_role("confidential")}
    assert not schema.with_role("identifier", "household")
