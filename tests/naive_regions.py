"""Slow twins of the methods that make regions and groups of mixed records."""

import numpy as np


def mondrian_regions(ranks, places, offsets, k, relaxed):
    """Twin of `kernels.mondrian.mondrian_regions`: recursion on lists of records."""
    labels = np.zeros(len(ranks), np.int64)
    count = 0

    def width(rows, j):
        present = [places[offsets[j] + r] for r in ranks[rows, j] if r > 0]
        missing = len(rows) - len(present)
        if missing >= k and len(present) >= k:
            return 2.0
        return max(present) - min(present) if present else 0.0

    def cut(rows, j):
        values = ranks[rows, j]
        if width(rows, j) == 2:
            return [r for r in rows if ranks[r, j] == 0], [r for r in rows if ranks[r, j] > 0]
        if relaxed:
            ordered = sorted(rows, key=lambda r: ranks[r, j])  # equal ones in file order
            left = set(ordered[: len(rows) // 2])
            return [r for r in rows if r in left], [r for r in rows if r not in left]
        best = None
        for c in sorted(set(values.tolist()), reverse=True):  # of two as near to the middle the later
            left = [r for r in rows if ranks[r, j] <= c]
            right = [r for r in rows if ranks[r, j] > c]
            if len(left) >= k and len(right) >= k:
                off = abs(len(left) - len(right))
                best = (off, left, right) if best is None or off < best[0] else best
        return best[1:] if best else None

    def divide(rows):
        nonlocal count
        if len(rows) >= 2 * k:
            widths = [width(rows, j) for j in range(ranks.shape[1])]
            for j in sorted(range(len(widths)), key=lambda j: -widths[j]):
                parts = cut(rows, j) if widths[j] > 0 else None
                if parts:
                    divide(parts[0])
                    divide(parts[1])
                    return
        labels[rows] = count
        count += 1

    divide(list(range(len(ranks))))
    return labels


def mdav_generic_groups(Z, C, steps, sizes, k):
    """Twin of `kernels.mdav_generic.mdav_generic_groups`: Algorithm 4 with the averages of each scale."""
    left = list(range(len(Z)))
    labels = np.zeros(len(Z), np.int64)

    def distance(i, z, c):
        total = 0.0
        for a, b in zip(Z[i].tolist(), z, strict=True):
            if np.isnan(a) or np.isnan(b):
                total += float(np.isnan(a) != np.isnan(b))
            else:
                total += (a - b) * (a - b)
        for a, b, step in zip(C[i].tolist(), c, steps.tolist(), strict=True):
            one = a != b and (step == 0 or a < 0 or b < 0)
            total += 1.0 if one else ((a - b) * step) * ((a - b) * step)
        return total

    def average():
        z = [np.nan if np.isnan(column).all() else np.nanmean(column) for column in Z[left].T]
        c = []
        for column, step in zip(C[left].T.tolist(), steps, strict=True):
            there = sorted(code for code in column if code >= 0)
            if not there:
                c.append(-1)
            elif step > 0:
                c.append(there[(len(there) - 1) // 2])
            else:
                c.append(max(sorted(set(there)), key=there.count))
        return z, c

    def farthest(z, c):
        return max(left, key=lambda i: (distance(i, z, c), -i))

    def make_group(centre, label):
        for i in sorted(left, key=lambda i: (distance(i, Z[centre].tolist(), C[centre].tolist()), i))[:k]:
            labels[i] = label
            left.remove(i)

    group = 0
    while len(left) >= 2 * k:
        pair = len(left) >= 3 * k
        r = farthest(*average())
        make_group(r, group)
        group += 1
        if pair:
            make_group(farthest(Z[r].tolist(), C[r].tolist()), group)
            group += 1
    labels[left] = group
    return labels
