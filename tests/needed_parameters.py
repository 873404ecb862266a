"""What has to be said of a masking that cannot be made of its defaults alone, so that it fits any test table of people."""

NEEDED = {
    "sampling": {"fraction": 0.5},
    "recoding": {"others": "any"},
    "intervals": {"cuts": [30, 60]},
    "suppression": {"where": "age > 40"},
}
