"""The table that a masking makes under a seed: the same one wherever and whenever it is made."""

import json

import numpy as np

from sfumato.core import stream
from sfumato.data import Table
from sfumato.masking._contract import Masking


def masked_with(masking: Masking, table: Table, *, seed: int) -> Table:
    return traced_with(masking, table, seed=seed)[0]


def traced_with(masking: Masking, table: Table, *, seed: int) -> tuple[Table, np.ndarray]:
    """The masked table, and for each of its records the row it had in the original."""
    return masking.traced(table, stream(seed, "masking", json.dumps(masking.keyed_by(), sort_keys=True)))
