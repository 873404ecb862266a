"""Lossy compression: the table is kept as a grey picture of a certain quality."""

from typing import ClassVar

import numpy as np
from scipy.fft import dctn, idctn

from sfumato.core import Advice, Aliases, param
from sfumato.data import Table
from sfumato.masking._contract import Masking
from sfumato.masking._correlation import present_rows

SIDE = 8  # of a block of pixels
BLOCKS_AT_ONCE = 1 << 14

# steps of the coefficients of a block at quality 50: ITU-T Recommendation T.81, Table K.1
STEPS = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)


class LossyCompression(Masking):
    """Records are rows, attributes columns and values pixels; the picture is compressed as JPEG does.

    Each column is scaled from its smallest … largest value to the whole numbers 0 … 255. The picture is cut
    into blocks of 8 × 8 pixels, its last row and column repeated to fill them. A block is replaced by its
    cosine transform with coefficients rounded to multiples of steps that grow as quality falls:

        c' = Q·round(c / Q),    Q = ⌊(S·T + 50) / 100⌋ within 1 … 255,    S = 5000/q, or 200 − 2q from q = 50 on,

    with T the usual table for brightness. The transform back gives the masked pixels, which are scaled to
    the range of their column. The result depends on the order of records and columns: neighbours blur into
    each other. Even at quality 100 a column keeps at most 256 different values.

    Nothing is drawn at random. Values are rounded to the declared decimals. Missing values stand at the mean
    of their column while the picture is made, and stay missing. With strata, each stratum is a picture of
    its own; one in which an attribute has a single value is refused.

    Source: Domingo-Ferrer & Torra (2001), as in Fayyoumi, *thesis*, §2.5.1; ITU-T T.81 (1992).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"sales": [12.5, 95.0, 31.0, 40.5, 8.0, 25.0]}))
    >>> LossyCompression(quality=30).apply(firms, np.random.default_rng(1))["sales"].tolist()
    [13.1, 93.3, 35.0, 37.3, 9.7, 24.4]
    """

    aliases: ClassVar[Aliases] = {"JPEG": {}, "QJ": {}}

    scales = ("numeric",)
    grid: ClassVar = {"quality": (10, 30, 50, 70, 90)}
    for_users: ClassVar[Advice] = Advice(
        done="The numbers were treated like the pixels of a picture and compressed with loss: close "
        "values were blurred into each other.",
        effect="Means are nearly those collected, detail is lost, each variable has few different "
        "values, and relations between variables are blurred.",
        remedy="Rely on means and broad classes of many records, and do not interpret small differences, "
        "tails or the exact value of a record.",
    )

    quality: int = param(default=50, low=1, high=100, help="quality of the picture, in percent")

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        ends = [_ends(table[name][present_rows(table, name, self.name)]) for name in names]
        low, span = np.array([a for a, _ in ends]), np.array([b - a for a, b in ends])
        picture = _picture(table.numbers(names), low, span)
        X = low + span * (compressed(picture, self.quality) / 255)
        columns = {}
        for j, name in enumerate(names):
            values = table.schema[name].conform(X[:, j])
            columns[name] = np.where(table.missing(name), np.nan, values)
        return table.replace(columns)


def steps(quality: int) -> np.ndarray:
    """The steps of the coefficients of a block.

    >>> int(steps(50)[0, 0]), int(steps(10)[0, 0]), int(steps(100).max())
    (16, 80, 1)
    """
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    Q: np.ndarray = np.clip((scale * STEPS + 50) // 100, 1, 255)
    return Q


def compressed(picture: np.ndarray, quality: int) -> np.ndarray:
    """The pixels that are left of a picture of whole numbers 0 … 255, in the same form."""
    n, m = picture.shape
    filled = np.pad(picture, ((0, -n % SIDE), (0, -m % SIDE)), mode="edge")
    after = np.empty_like(filled)
    high = BLOCKS_AT_ONCE * SIDE
    for top in range(0, len(filled), high):
        after[top : top + high] = _through(filled[top : top + high], steps(quality))
    return after[:n, :m]


def _through(strip: np.ndarray, Q: np.ndarray) -> np.ndarray:
    n, m = strip.shape
    blocks = strip.reshape(n // SIDE, SIDE, m // SIDE, SIDE).swapaxes(1, 2) - 128.0
    coefficients = Q * _whole(dctn(blocks, axes=(2, 3), norm="ortho") / Q)
    back = idctn(coefficients, axes=(2, 3), norm="ortho") + 128
    pixels: np.ndarray = np.clip(_whole(back), 0, 255).swapaxes(1, 2).reshape(n, m)
    return pixels


def _whole(values: np.ndarray) -> np.ndarray:
    # halves are common here, and must not depend on the last bits of a transform
    return np.round(np.round(values, 6))


def _ends(values: np.ndarray) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def _picture(X: np.ndarray, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    shares = (X - low) / np.where(span > 0, span, 1.0)
    present = ~np.isnan(shares)
    means = np.where(present, shares, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    grey: np.ndarray = np.round(255 * np.where(present, shares, means))
    return grey
