import pytest

from sfumato import datasets
from sfumato.core import ParameterError, UnknownNameError
from sfumato.data import Table


def test_every_name_is_a_function_with_a_summary():
    assert len(datasets.names()) == 14
    for name in datasets.names():
        assert name in datasets.__all__
        assert callable(getattr(datasets, name))
        assert datasets.summary(name).endswith(".")


def test_load_passes_size_and_seed():
    loaded = datasets.load("business_survey", n=20, seed=7)
    assert loaded.fingerprint == datasets.business_survey(20, seed=7).fingerprint
    assert datasets.load("housing").fingerprint == datasets.housing().fingerprint
    assert isinstance(loaded, Table)


def test_wrong_words_are_explained():
    with pytest.raises(UnknownNameError, match=r"Unknown data set 'taragona'\. Did you mean tarragona"):
        datasets.load("taragona")
    with pytest.raises(UnknownNameError):
        datasets.summary("_classic")
    with pytest.raises(ParameterError, match="takes no n or seed"):
        datasets.load("tarragona", n=5)
    with pytest.raises(ParameterError, match="takes no folder"):
        datasets.load("housing", folder="somewhere")
