"""Fuzzy rules over many records: sums of compatibilities of a rule, and the best grade of each record.

Memberships are looked up: `codes[i, j]` is the pattern of record i in variable j, and its membership in value
v is `flat[starts[j] + codes[i, j] * sizes[j] + v]`. A record can only be compatible to a degree of at least α
with a rule if all its memberships are, so sets of such records are kept as bits, 64 to a word, and a rule is
first the intersection of a few of them.
"""

import numpy as np

from sfumato.kernels._compile import kernel

BITS = 64
# place of the only bit of a word, by the highest six bits of its product with a de Bruijn number
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, np.int64)
for _place in range(64):
    PLACES[((int(DE_BRUIJN) << _place) & 0xFFFFFFFFFFFFFFFF) >> 58] = _place


@kernel
def rule_sums(
    rule: np.ndarray,
    bits: np.ndarray,
    crisp: np.ndarray,
    codes: np.ndarray,
    flat: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    offsets: np.ndarray,
    vital: np.ndarray,
    total: np.ndarray,
    alpha: float,
) -> tuple[float, float]:
    """Sums of the compatibilities of a rule over the vital records and over all.

    `bits[offsets[j] + v]` are the records whose membership in value v of variable j is at least α (v > 0), and
    `crisp` says whether it is 1 for all of them. `vital` and `total` are the weights of each record.
    """
    used = np.empty(len(rule), np.int64)
    fuzzy = np.empty(len(rule), np.int64)
    number = count = 0
    for j in range(len(rule)):
        if rule[j] > 0:
            used[number] = offsets[j] + rule[j]
            number += 1
            if not crisp[offsets[j] + rule[j]]:
                fuzzy[count] = j
                count += 1
    of_vital = of_all = 0.0
    one = np.uint64(1)
    for w in range(bits.shape[1]):
        word = bits[0, w]  # all records
        for u in range(number):
            word &= bits[used[u], w]
            if word == 0:
                break
        while word != 0:
            lowest = word & (~word + one)
            i = w * BITS + PLACES[np.int64((lowest * DE_BRUIJN) >> np.uint64(58))]
            word ^= lowest
            grade = 1.0
            for f in range(count):
                j = fuzzy[f]
                grade *= flat[starts[j] + codes[i, j] * sizes[j] + rule[j]]
            if grade >= alpha:
                of_vital += grade * vital[i]
                of_all += grade * total[i]
    return of_vital, of_all


@kernel
def record_grades(
    rules: np.ndarray,
    codes: np.ndarray,
    flat: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """The largest compatibility of each record with any rule, 0 where all are below α."""
    grades = np.zeros(len(codes))
    for i in range(len(codes)):
        best = 0.0
        for r in range(len(rules)):
            grade = 1.0
            for j in range(rules.shape[1]):
                if rules[r, j] > 0:
                    grade *= flat[starts[j] + codes[i, j] * sizes[j] + rules[r, j]]
                    if grade < alpha or grade <= best:
                        break
            if grade >= alpha and grade > best:
                best = grade
        grades[i] = best
    return grades


@kernel
def general_rules(rules: np.ndarray) -> np.ndarray:
    """Which rules are no special case of an earlier one; rules come with the most general first.

    A rule is a special case of another if it has the same value wherever the other one is not "any" (0).
    """
    kept = np.zeros(len(rules), np.bool_)
    for r in range(len(rules)):
        special = False
        for s in range(r):
            if kept[s]:
                special = True
                for j in range(rules.shape[1]):
                    if rules[s, j] > 0 and rules[s, j] != rules[r, j]:
                        special = False
                        break
                if special:
                    break
        kept[r] = not special
    return kept
