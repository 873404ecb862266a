"""Small surveys of the literature, as tables."""

import numpy as np
from measure_tables import keys, with_weights

RESIDENCE, GENDER, EDUCATION, WORK = "residence", "gender", "education", "work"
PEOPLE = np.array(
    [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 1],
        [0, 1, 2, 0],
        [1, 0, 2, 2],
        [0, 1, 2, 0],
        [0, 0, 3, 1],
        [0, 1, 4, 2],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
    ]
)
WEIGHTS = [180, 180, 215, 76, 186, 76, 180, 215, 186, 76]


def guide():
    """Ten people and their weights: Benschop, Machingauta & Welch (2019), *SDC: a practice guide*, tables 4.1 and 4.5."""
    domains = {RESIDENCE: "ur", GENDER: "fm", EDUCATION: "ipsct", WORK: "enu"}
    scales = {name: ("nominal", labels) for name, labels in domains.items()}
    return with_weights(keys(scales, dict(zip(domains, PEOPLE.T, strict=True))), WEIGHTS)
