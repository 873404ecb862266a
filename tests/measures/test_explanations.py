"""Losses and risks in words: each word begins where the next worse percentage does."""

import pytest

from sfumato.measures import loss_in_words, risk_in_words


@pytest.mark.parametrize(
    ("percent", "loss", "risk"),
    [
        (0, "Small", "Low"),
        (9.99, "Small", "Low"),
        (10, "Moderate", "Moderate"),
        (29.99, "Moderate", "Moderate"),
        (30, "Large", "High"),
        (59.99, "Large", "High"),
        (60, "Very large", "Very high"),
        (100, "Very large", "Very high"),
    ],
)
def test_a_percentage_in_words(percent, loss, risk):
    assert loss_in_words(percent).partition(":")[0] == loss
    assert risk_in_words(percent).partition(":")[0] == risk
