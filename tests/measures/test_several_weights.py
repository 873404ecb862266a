"""Of several survey weights the first says how many people a record stands for."""

import numpy as np
import pytest

import sfumato
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets import household_survey

MEASURES = ["individual_risk(weighted=true)", "analyst_loss(weighted=true)", "k_map", "ctbil(weighted=true)"]


def both() -> tuple[Table, Table]:
    """A survey with its weight, and with one of households after it."""
    one = household_survey(150, seed=2)
    further = Attribute(name="weight of homes", scale="numeric", role="weight", low=0.0)
    columns = {name: one[name] for name in one.names}
    reasons = {name: codes for name in one.names if (codes := one.reasons(name)) is not None}
    homes = np.random.default_rng(1).integers(0, 900, one.n).astype(float)
    schema = Schema([*one.schema, further], rules=one.schema.rules)
    return one, Table(schema, {**columns, further.name: homes}, reasons=reasons)


def test_the_first_counts() -> None:
    one, two = both()
    masking = "mdav_generic(k=4, attributes=[age, sex, region])"
    found = [
        sfumato.evaluate(table, sfumato.mask(table, masking, seed=1), measures=MEASURES).scores
        for table in (one, two)
    ]
    for name, score in found[0].items():
        if "analyst_loss" not in name:  # which the further column is a part of
            assert found[1][name].value == pytest.approx(score.value), name
    assert two.schema.weight == one.schema.weight == "weight"


def test_a_mask_without_a_schema_leaves_both_as_they_are() -> None:
    frame = both()[1].to_arrow(text=True).to_pandas().rename(columns={"weight of homes": "WGTP"})
    masked = sfumato.mask(frame, "mdav(k=3)")
    assert masked["WGTP"].equals(frame["WGTP"]) and masked["weight"].equals(frame["weight"])
