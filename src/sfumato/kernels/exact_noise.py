"""Noise of the discrete Gaussian, and choices of the exponential mechanism, by whole numbers alone.

Source: Canonne, Kamath & Steinke (2020), "The discrete Gaussian for differential privacy", algorithms 1 to 3. No floating
point number takes part, so that nothing can be read from how one is rounded. Random bits are an array; where they do not
suffice, a draw begins anew once more stand behind them, and its first bits are the same.
"""

import numpy as np

from sfumato.kernels._compile import kernel

SHORT = -1  # instead of a number of words used: there were not enough


@kernel
def uniform_below(n: int, bits: np.ndarray, at: np.ndarray) -> int:
    """One of 0 to n − 1, each exactly as likely: what is above the last multiple of n is drawn again."""
    size = np.uint64(n)
    spare = (np.uint64(0) - size) % size  # 2⁶⁴ mod n
    while at[0] < len(bits):
        word = bits[at[0]]
        at[0] += 1
        if word >= spare:
            return np.int64((word - spare) % size)  # type: ignore[return-value]
    at[0] = len(bits) + 1
    return 0


@kernel
def is_below_exponential(above: int, below: int, bits: np.ndarray, at: np.ndarray) -> bool:
    """True with probability exp(−above / below), for fractions up to 1 by the alternating series, then factor by factor."""
    while above > below:
        if not _is_below_fraction(1, 1, bits, at):
            return False
        above -= below
    return _is_below_fraction(above, below, bits, at)


@kernel
def _is_below_fraction(above: int, below: int, bits: np.ndarray, at: np.ndarray) -> bool:
    k = 1
    while at[0] <= len(bits) and uniform_below(below * k, bits, at) < above:
        k += 1
    return k % 2 == 1


@kernel
def discrete_gaussian(sigma: int, bits: np.ndarray, at: np.ndarray) -> int:
    """A whole number z with probability proportional to exp(−z² / 2σ²), from a discrete Laplace draw of scale σ.

    Such a draw y is kept with probability exp(−(|y| − σ)² / 2σ²).
    """
    while at[0] <= len(bits):
        part = uniform_below(sigma, bits, at)
        if not is_below_exponential(part, sigma, bits, at):
            continue
        turns = 0
        while at[0] <= len(bits) and is_below_exponential(1, 1, bits, at):
            turns += 1
        size = part + sigma * turns
        is_negative = uniform_below(2, bits, at) == 1
        if is_negative and size == 0:
            continue
        if is_below_exponential((size - sigma) ** 2, 2 * sigma * sigma, bits, at):
            return -size if is_negative else size
    return 0


@kernel
def fill_with_noise(noise: np.ndarray, done: int, sigma: int, bits: np.ndarray, used: np.ndarray) -> int:
    """Fill an array from a place on, as far as the bits suffice; told is up to where, and `used` how many words were."""
    at = np.zeros(1, np.int64)
    while done < len(noise):
        at[0] = used[0]
        drawn = discrete_gaussian(sigma, bits, at)
        if at[0] > len(bits):
            return done
        noise[done], used[0] = drawn, at[0]
        done += 1
    return done


@kernel
def exponential_choice(behind: np.ndarray, scale: int, bits: np.ndarray) -> int:
    """A place i with probability proportional to exp(−behind[i] / scale), by rejection; −1 if there are too few bits."""
    at = np.zeros(1, np.int64)
    while at[0] <= len(bits):
        i = uniform_below(len(behind), bits, at)
        if is_below_exponential(behind[i], scale, bits, at) and at[0] <= len(bits):
            return i
    return SHORT
