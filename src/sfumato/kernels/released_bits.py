"""How much a released category leaves open of the value that it stands for, in bits over all records."""

import math

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def released_bits(
    counts: np.ndarray, gone: np.ndarray, groups: np.ndarray, stratum: np.ndarray, further: np.ndarray
) -> np.ndarray:
    """For each stratum, Σ over records of log2(records released alike / those of them with the same value).

    `counts` say how many records have each value, `gone` how many of them are suppressed; the others are released
    as `groups`, or blank, as those suppressed are, if that is −1. Values are those of a `stratum`.

    Where `further` records of the stratum may be suppressed, it is the least that can be left open then: to know
    who was suppressed would tell at most the entropy of so many among the records whose group leaves anything open.
    """
    kept = np.zeros(max(groups.max(), 0) + 1)
    alone = np.zeros(len(kept))
    blank = np.zeros(len(further))
    for i in range(len(counts)):
        if groups[i] >= 0:
            kept[groups[i]] += counts[i] - gone[i]
            alone[groups[i]] = max(alone[groups[i]], counts[i] - gone[i])
            blank[stratum[i]] += gone[i]
        else:
            blank[stratum[i]] += counts[i]
    inside, outside, mixed = np.zeros(len(further)), np.zeros(len(further)), np.zeros(len(further))
    for i in range(len(counts)):
        s, g = stratum[i], groups[i]
        stays = counts[i] - gone[i] if g >= 0 else 0.0
        goes = counts[i] - stays
        if stays > 0:
            inside[s] += stays * math.log2(kept[g] / stays)
            if kept[g] > alone[g]:
                mixed[s] += stays
        if goes > 0:
            outside[s] += goes * math.log2(blank[s] / goes)
    for s in range(len(further)):
        if mixed[s] > 0 and further[s] > 0:
            p = min(further[s] / mixed[s], 0.5)
            entropy = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
            inside[s] = max(inside[s] - mixed[s] * entropy, 0.0)
    return inside + outside
