import numpy as np
import pytest
from measure_tables import keys

from sfumato.kernels.markov import average_expectation_ratio, expectation_ratios, posterior
from sfumato.measures import Ebil, ExpectationRatio

DEGREE = np.array([98, 173, 251, 195, 170, 80])  # Marés, Table 4.2, categories 1 to 6
INITIAL = np.full((6, 6), 0.08) + 0.52 * np.eye(6)  # maximum entropy, diagonal 0.6


def expected_entropy_loss(P, T):
    """EBIL in percent as the matrix says it: 100 · Σ_j n'_j H(V | V' = j) / (n log2 |D|), n'_j = Σ_i T_i p_ij."""
    if T.sum() == 0 or len(T) < 2:
        return 0.0
    Q = posterior(P, T)
    bits = -(Q * np.log2(Q, out=np.zeros_like(Q), where=Q > 0)).sum(axis=1)
    return 100 * (T @ P) @ bits / (T.sum() * np.log2(len(T)))


def test_published_expectation_ratios():
    # Marés, Tables 4.8 and 4.9, "Initial Matrix": the matrix is over the six categories that are shown.
    # The fifth is 102 / 63.76 = 1.59975, printed 1.599.
    ratios = expectation_ratios(INITIAL, DEGREE)
    assert ratios.round(3).tolist() == [0.846, 1.634, 2.629, 1.894, 1.600, 0.676]
    assert average_expectation_ratio(INITIAL, DEGREE) == pytest.approx(1.780, abs=5e-4)  # Table 4.10


def test_published_average_of_the_printed_ratios():
    # "Only Invariance": its ratios in Table 4.8 average to the 2.827 of Table 4.10 by frequency
    printed = np.array([0.981, 2.356, 4.838, 2.911, 2.287, 0.740])
    assert printed @ DEGREE / DEGREE.sum() == pytest.approx(2.827, abs=5e-4)


def test_the_matrix_and_a_file_that_follows_it_exactly_agree():
    T, P = np.array([10, 20]), np.array([[0.8, 0.2], [0.1, 0.9]])
    original = keys({"v": ("nominal", "ab")}, {"v": [0] * 10 + [1] * 20})
    masked = original.replace({"v": np.array([0] * 8 + [1] * 2 + [0] * 2 + [1] * 18)})
    assert Ebil().bind(original).score(masked).value == pytest.approx(expected_entropy_loss(P, T))
    bound = ExpectationRatio().bind(original)
    assert bound.ratios(masked)["v"] == pytest.approx(expectation_ratios(P, T))  # 8 / 2 and 18 / 2
    assert bound.score(masked).value == pytest.approx(100 * (10 * 0.8 + 20 * 0.9) / 30)


def test_what_nobody_has():
    T, P = np.array([4, 0, 0]), np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert posterior(P, T).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    ratios = expectation_ratios(P, T)
    assert np.isposinf(ratios[0])
    assert ratios[1] == 0
    assert np.isnan(ratios[2])
    assert expected_entropy_loss(P, T) == 0
    assert expected_entropy_loss(np.eye(1), np.array([3])) == 0


def test_the_identity_loses_nothing_and_evenness_everything():
    T = np.array([3, 3, 3, 3])
    assert expected_entropy_loss(np.eye(4), T) == 0
    assert expected_entropy_loss(np.full((4, 4), 0.25), T) == pytest.approx(100)
