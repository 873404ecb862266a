"""Privacy budgets: what an (ε, δ) promise allows, and what each answer costs, by the accounting of OpenDP."""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from sfumato.core import MissingExtraError, ParameterError

STEPS = 36  # of bisection; it stays on the safe side
LARGEST_SIGMA = 2**24  # up to which noise is drawn by whole numbers of 64 bits
REPLACED = float(np.nextafter(np.sqrt(2.0), 2.0))  # by how much, in L2, counts change if a record is replaced
MOVED = 2  # by how much, at the most, a sum of absolute gaps of counts does


@cache
def total_rho(epsilon: float, delta: float) -> float:
    """The zCDP budget ρ that implies (ε, δ)-differential privacy, by the conversion of Canonne, Kamath & Steinke (2020).

    >>> round(total_rho(1.0, 1e-6), 4)
    0.0244
    """
    opendp = _opendp()
    low, high = 0.0, float(epsilon)
    for _ in range(STEPS):
        middle = (low + high) / 2
        profile = opendp.combinators.make_zCDP_to_approxDP(_gaussian(_scale(middle))).map(1.0)
        low, high = (middle, high) if profile.epsilon(delta) <= epsilon else (low, middle)
    if low == 0.0:
        raise ParameterError(f"No noise keeps a promise of epsilon = {epsilon:g} with delta = {delta:g}.")
    return low


def counts_cost(sigma: int) -> float:
    """What a table of counts with noise of this σ costs, if one record is replaced by another: 1/σ².

    >>> round(counts_cost(100), 7)
    0.0001
    """
    return float(_gaussian(float(sigma)).map(REPLACED))


def choice_cost(scale: int) -> float:
    """What a choice with probability proportional to exp(score / scale) costs, whose scores are sums of absolute gaps.

    Each score moves by at most 2 if one record is replaced, so two differ by at most 4 more: (4 / scale)² / 8.

    >>> round(choice_cost(100), 7)
    0.0002
    """
    opendp = _opendp()
    scores = (
        opendp.domains.vector_domain(opendp.domains.atom_domain(T=int)),
        opendp.metrics.linf_distance(T=int),
    )
    measure = opendp.measures.zero_concentrated_divergence()
    return float(opendp.measurements.make_noisy_max(*scores, measure, scale=float(scale)).map(MOVED))


def sigma_within(rho: float) -> int:
    """The smallest σ of noise on counts that costs no more."""
    return _smallest(counts_cost, 1.0 / np.sqrt(rho), rho)


def scale_within(rho: float) -> int:
    """The smallest scale of a choice that costs no more."""
    return _smallest(choice_cost, np.sqrt(2.0 / rho), rho)


def _smallest(cost: Any, about: float, rho: float) -> int:
    if about >= LARGEST_SIGMA:
        raise ParameterError(
            "The promise is too strict for the number of columns: raise epsilon or mask fewer columns."
        )
    found = max(int(np.floor(about)), 1)
    while cost(found) > rho:
        found += 1
    return found


def _scale(rho: float) -> float:
    """Of a Gaussian that costs so much where one count changes by one."""
    return float(np.sqrt(0.5 / rho))


@cache
def _opendp() -> SimpleNamespace:
    try:
        from opendp import combinators, domains, measurements, measures, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtraError("A formal promise", "formal") from None
    enable_features("contrib")
    return SimpleNamespace(
        combinators=combinators,
        domains=domains,
        measurements=measurements,
        measures=measures,
        metrics=metrics,
    )


def _gaussian(scale: float) -> Any:
    opendp = _opendp()
    counts = (
        opendp.domains.vector_domain(opendp.domains.atom_domain(T=int)),
        opendp.metrics.l2_distance(T=float),
    )
    return opendp.measurements.make_gaussian(*counts, scale=scale)
