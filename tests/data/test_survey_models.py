import pyarrow as pa
import pyarrow.csv
import pytest
from survey_models import MODELS

from sfumato.data import read_arrow
from sfumato.data.inference import propose


def written(folder, model):
    """The file as it would be sent: delimited text."""
    path = folder / "file.csv"
    columns, _, _ = MODELS[model]
    pa.csv.write_csv(
        pa.table({name: pa.array(values).cast(pa.string()) for name, values in columns.items()}), path
    )
    return path


@pytest.mark.parametrize("model", MODELS)
def test_identifiers_households_weights_keys_and_money_are_named(tmp_path, model):
    _, roles, confidential = MODELS[model]
    proposal = propose(read_arrow(written(tmp_path, model)))
    expected = {name: role for role, names in roles.items() for name in names.split()}
    expected |= dict.fromkeys(confidential.split(), "confidential")
    assert {name: proposal.schema[name].role for name in expected} == expected


@pytest.mark.parametrize("model", MODELS)
def test_no_unique_or_text_column_is_released_unasked(tmp_path, model):
    arrow = read_arrow(written(tmp_path, model))
    proposal = propose(arrow)
    for name in arrow.column_names:
        alone = len(arrow[name].unique()) > 0.5 * arrow.num_rows
        decided = (
            proposal.schema[name].role in ("identifier", "household", "weight") or name in proposal.doubts
        )
        assert decided or not alone, name


@pytest.mark.parametrize("model", MODELS)
def test_a_saved_proposal_is_short(tmp_path, model):
    schema = propose(read_arrow(written(tmp_path, model))).schema
    assert max(one.domain_size for one in schema.without_lists()) <= 300  # postcodes of a region


def test_codes_that_stand_apart_are_told_from_what_is_missing(tmp_path):
    found = {
        (model, one.name): one.structural
        for model in MODELS
        for one in propose(read_arrow(written(tmp_path, model))).schema
        if one.structural
    }
    assert found == {
        ("Labour Force Survey", "MARSTAT"): ("9",),
        ("Labour Force Survey", "ILOSTAT"): ("9",),
        ("Labour Force Survey", "HWACTUAL"): ("99",),
        ("IPUMS USA", "INCTOT"): ("9999999",),
        ("IPUMS USA", "INCWAGE"): ("999999",),
        ("DHS, women", "V130"): ("96",),
        ("survey, Spanish", "nivel_estudios"): ("-9",),
        ("survey, Spanish", "ingresos"): ("-1",),
        ("survey, Spanish", "horas"): ("-9",),
        ("survey, Italian", "affitto"): ("-1",),
    }
