"""Tables 3.1 and 3.2: both files of the thesis described, which tells that they are those that are here."""

from collections.abc import Iterator

import numpy as np

from sfumato import datasets
from sfumato.jobs import Line
from sfumato.reproductions._marks import marked

SAME = 0.001  # percent that rounding takes
STATISTICS = ("maximum", "minimum", "mean", "median", "mode", "standard deviation")
TABLES = {"tarragona": "Table 3.1, Tarragona", "census": "Table 3.2, Census"}
DESCRIBED = {
    "tarragona": (
        (4994098, 0, 105338.8261, 33930.5, 0, 278227.8001),
        (4539074, -26538, 210314.0204, 90545, 0, 432394.3559),
        (497490, -38776, 19352.86811, 5656, 0, 44704.9887),
        (3939325, -515464, 120218.6571, 40580, 769, 303023.5211),
        (1493787, 90, 39946.43165, 11000, 10000, 105988.4465),
        (3601182, -2701, 159344.012, 67045, 10393, 326846.4954),
        (15382214, 0, 546958.2818, 244794.5, 277939, 1155792.694),
        (1372449, 0, 74447.95923, 36200, 0, 135407.5982),
        (378927, -119, 10855.10312, 3614, 0, 27193.58137),
        (1207056, -251798, 27622.76499, 8475.5, 4750, 88221.54817),
        (108058, -357071, -8366.248201, -3548, 0, 25690.3612),
        (1267541, -301172, 21243.48441, 4055, 2580, 80287.94397),
        (873843, -301172, 14133.80096, 2844.5, 1955, 56155.53656),
    ),
    "census": (
        (689039, 13567, 196039.81, 180349, 13567, 101251.42),
        (99894, 6539, 56222.76, 58412.5, 6539, 24674.84),
        (7091, 16, 3173.14, 3215.5, 16, 1401.83),
        (21260, 1, 7544.66, 7068, 1, 4905.2),
        (116721, 3570, 45230.84, 43278, 3570, 21323.47),
        (11480, 2, 2597.18, 2322, 2, 1826.44),
        (83454, 8, 39712.95, 41155, 8, 21224.16),
        (105941, 1, 5162.23, 1586.5, 5000, 9449.64),
        (49425, 1, 1421.41, 353, 500, 3750.89),
        (97604, 80, 40068.61, 39000, 30000, 20816.01),
        (7932, 6, 2962.65, 3002, 4207, 1427.23),
        (97604, 80, 39523.38, 38000, 30000, 20601.28),
        (97604, 80, 38444.56, 36000, 30000, 20677.57),
    ),
}  # Var1 to Var13, in the order of the files


def file_lines() -> tuple[Line, ...]:
    """A line for each number of both tables."""
    return marked(_lines())


def _lines() -> Iterator[Line]:
    for file, rows in DESCRIBED.items():
        table = datasets.load(file)
        for at, (name, printed) in enumerate(zip(table.names, rows, strict=True), 1):
            for what, ours, published in zip(STATISTICS, described(table[name]), printed, strict=True):
                told, bar = f"{TABLES[file]}, Var{at}: {what}", f"within {SAME} % of published"
                yield Line.of(told, ours=ours, published=published, bar=bar)


def described(values: np.ndarray) -> tuple[float, ...]:
    """The six statistics; the mode is as spreadsheets have it."""
    found = (values.max(), values.min(), values.mean(), np.median(values), mode(values), values.std(ddof=1))
    return tuple(map(float, found))


def mode(values: np.ndarray) -> float:
    """Of values that are equally frequent the first in the file; the smallest where none occurs twice.

    >>> mode(np.array([5.0, 3.0, 1.0, 1.0, 3.0])), mode(np.array([5.0, 3.0]))
    (3.0, 3.0)
    """
    distinct, first, counts = np.unique(values, return_index=True, return_counts=True)
    if counts.max() == 1:
        return float(distinct[0])
    return float(values[first[counts == counts.max()].min()])
