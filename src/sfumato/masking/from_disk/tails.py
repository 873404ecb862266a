"""Where the tails of a column begin, exactly, in a few passes over the file."""

from typing import NamedTuple

import numpy as np

from sfumato.core.crew import Crew, outcomes
from sfumato.data.blocks import Blocks
from sfumato.masking._whole_file import Tails, tail_length

MARGIN = 5.0  # standard errors around a value of the sample within which that of the file is looked for


class _Between(NamedTuple):
    original: Blocks
    block: int
    name: str
    low: float
    high: float


def tails_of(original: Blocks, name: str, percent: float, *, n: int, sample: np.ndarray, crew: Crew) -> Tails:
    """The tails of the n values present in a column, given a sample of them."""
    c = tail_length(n, percent)
    sample = np.sort(sample[~np.isnan(sample)])
    low = _value_of_rank(original, name, c, n=n, sample=sample, crew=crew)
    high = _value_of_rank(original, name, n - 1 - c, n=n, sample=sample, crew=crew)
    jobs = [_Between(original, block, name, low, high) for block in range(len(original))]
    below, above, total_below, total_above = np.sum(
        outcomes(crew, _tail, jobs, label="Finding the tails"), axis=0
    )
    means = [
        total / count if count else np.nan for total, count in ((total_below, below), (total_above, above))
    ]
    return Tails(low, high, int(below), int(above), np.asarray(means[0]), np.asarray(means[1]))


def _value_of_rank(
    original: Blocks, name: str, rank: int, *, n: int, sample: np.ndarray, crew: Crew
) -> float:
    """The value with so many smaller ones before it, looked for in an interval that grows until it holds it."""
    share, margin = rank / n, MARGIN
    while True:
        width = margin * np.sqrt(len(sample) * share * (1 - share)) + margin
        at, to = int(share * len(sample) - width), int(np.ceil(share * len(sample) + width))
        low = float(sample[at]) if at >= 0 else -np.inf
        high = float(sample[to]) if to < len(sample) else np.inf
        jobs = [_Between(original, block, name, low, high) for block in range(len(original))]
        found = outcomes(crew, _look, jobs, label="Finding ranks")
        below = sum(one[0] for one in found)
        values, where = np.unique(np.concatenate([one[1] for one in found]), return_inverse=True)
        counts = np.bincount(where.ravel(), weights=np.concatenate([one[2] for one in found]))
        position = int(np.searchsorted(below + np.cumsum(counts), rank, side="right"))
        if below <= rank and position < len(values):
            return float(values[position])
        margin *= 4


def _look(_: None, job: _Between) -> tuple[int, np.ndarray, np.ndarray]:
    """How many values of a block are below an interval, and the values in it with how often they occur."""
    values = job.original.table(job.block, [job.name])[job.name]
    inside = values[(values >= job.low) & (values <= job.high)]
    return int(np.count_nonzero(values < job.low)), *np.unique(inside, return_counts=True)


def _tail(_: None, job: _Between) -> tuple[int, int, float, float]:
    """How many values of a block are in either tail, and their sums."""
    values = job.original.table(job.block, [job.name])[job.name]
    below, above = values[values < job.low], values[values > job.high]
    return len(below), len(above), float(below.sum()), float(above.sum())
