"""Tables 4.6 and 4.7: the matrix of DEGREE that the source ends with, and what it does to the categories."""

import numpy as np

from sfumato.jobs import Line
from sfumato.jobs.evolve_pram import EvolvedPram
from sfumato.masking.matrices.markov_matrices import frequencies
from sfumato.search.problems.matrix_equations import guessed_right

LABELS = ("1", "2", "3", "4", "5", "6", "9", "-")
INITIAL_COUNTS = np.array([98, 173, 251, 195, 170, 80, 33, 0])
FINAL_COUNTS = np.array([96, 171, 250, 181, 181, 81, 17, 23])
FINAL_MATRIX = (
    np.array(
        [
            [11, 9, 11, 9, 926, 9, 11, 14],
            [0, 4, 971, 5, 5, 5, 4, 4],
            [27, 625, 9, 27, 205, 36, 36, 36],
            [49, 37, 432, 74, 62, 259, 49, 37],
            [32, 5, 6, 928, 6, 8, 6, 8],
            [892, 8, 33, 8, 11, 17, 17, 14],
            [3, 30, 4, 4, 466, 487, 3, 3],
            [430, 416, 5, 6, 19, 6, 6, 111],
        ]
    )
    / 1000
)


def degree_lines(found: EvolvedPram) -> list[Line]:
    """The evolved matrix of DEGREE beside the printed one: renaming, frequencies, entropy, and what may be guessed."""
    P = found.after.matrices["DEGREE"]
    T = frequencies(found.original["DEGREE"], len(P))
    printed = FINAL_MATRIX / FINAL_MATRIX.sum(axis=1, keepdims=True)
    moved, theirs = (50 * float(np.abs(after - T).sum()) / T.sum() for after in (T @ P, FINAL_COUNTS))
    return [
        Line.of(
            "Table 4.6, DEGREE: rows whose likeliest category is another",
            ours=_renamed(P),
            published=_renamed(printed),
        ),
        Line.of("Table 4.6, DEGREE: guessed right by whoever knows our matrix, %", ours=guessed_right(P, T)),
        Line.of(
            "Table 4.6, DEGREE: guessed right by whoever knows the printed matrix, %",
            ours=guessed_right(printed, INITIAL_COUNTS),
        ),
        Line.of("Table 4.7, DEGREE: frequencies that moved, %", ours=moved, published=theirs),
        *(
            Line.of(
                f"Table 4.7, DEGREE: records of {label} that the printed matrix makes on average",
                ours=float((INITIAL_COUNTS @ printed)[at]),
                published=FINAL_COUNTS[at],
            )
            for at, label in enumerate(LABELS)
        ),
        Line.of(
            "Table 4.7, DEGREE: entropy of the categories at the start, bits",
            ours=_entropy(T),
            published=_entropy(INITIAL_COUNTS),
        ),
        Line.of(
            "Table 4.7, DEGREE: entropy of the categories at the end, bits",
            ours=_entropy(T @ P),
            published=_entropy(FINAL_COUNTS),
        ),
    ]


def _renamed(P: np.ndarray) -> int:
    return int(np.count_nonzero(P.argmax(axis=1) != np.arange(len(P))))


def _entropy(counts: np.ndarray) -> float:
    """
    >>> _entropy(np.array([1, 1, 0]))
    1.0
    """
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
