"""Random numbers: independent columns, uniform or normal, as methods are compared on."""

import numpy as np

from sfumato.core import ParameterError, stream
from sfumato.data import Schema, Table
from sfumato.datasets._attributes import number
from sfumato.datasets._random_columns import checked_size

DECIMALS = 6
LAWS = ("uniform", "normal")


def random_numbers(
    n: int = 1000,
    *,
    seed: int = 1,
    attributes: int = 16,
    law: str = "uniform",
    centre: float = 500.0,
    spread: float = 500.0,
) -> Table:
    """Independent numbers: uniform between centre − spread and centre + spread, or normal with these.

    Fayyoumi's simulated files are uniform from 0 to 1000 (the default) and from 0 to 40,000, and normal around 0 with
    0.05 and around 500 with 150. All columns are keys.

    >>> random_numbers(500, attributes=3)
    Table(500 records × 3 attributes)
    >>> bool(abs(random_numbers(900, law="normal", centre=0, spread=0.05)["v1"].std() - 0.05) < 0.005)
    True
    """
    n = checked_size("random_numbers", n)
    if law not in LAWS:
        raise ParameterError(f"random_numbers: law must be one of {', '.join(LAWS)}. Got {law!r}.")
    if attributes < 1 or spread <= 0:
        raise ParameterError("random_numbers: there must be an attribute, and spread must be above 0.")
    rng = stream(seed, "random_numbers", law)
    draws = rng.uniform(-1, 1, (n, attributes)) if law == "uniform" else rng.standard_normal((n, attributes))
    reach = spread if law == "uniform" else 40 * spread  # which no normal number reaches
    low, high = centre - reach, centre + reach
    columns = [number(f"v{j + 1}", decimals=DECIMALS, low=low, high=high) for j in range(attributes)]
    values = np.clip(centre + spread * draws, low, high)
    return Table(Schema(columns), {a.name: a.conform(values[:, j]) for j, a in enumerate(columns)})
