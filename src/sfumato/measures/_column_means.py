"""What losses share that are means over columns of sums over records."""

import numpy as np

from sfumato.measures._contract import Files, Judged


def mean_of_columns(files: Files, sums: np.ndarray) -> Judged:
    """Sums over records, one for each column, as percent of records: their mean, and those of the columns as parts."""
    shares = (100 * sums / files.n).tolist()
    return sum(shares) / len(shares), dict(zip(files.names, shares, strict=True))
