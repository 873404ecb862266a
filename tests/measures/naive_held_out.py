"""Slow and obvious twins of the losses that judge what a search did not optimise."""

import math

import numpy as np
from naive_measures import category_distance, members
from scipy.optimize import minimize
from scipy.special import expit


def record_distance(original, masked, names):
    apart = []
    for name in names:
        a, b = original.schema[name], masked.schema[name]
        present = [v for v in original[name].tolist() if v == v]
        s = float(np.std(present)) if present and min(present) < max(present) else 0.0
        for x, y in zip(original[name].tolist(), masked[name].tolist(), strict=True):
            if not a.is_numeric:
                apart.append(category_distance(a, b, x, y))
            elif math.isnan(x) or math.isnan(y):
                apart.append(float(math.isnan(x) != math.isnan(y)))
            elif s == 0:
                apart.append(float(x != y))
            else:
                apart.append(min(1, abs(x - y) / (math.sqrt(2) * s)))
    return 100 * sum(apart) / len(apart)


def drawn(original, table, name, r):
    """The share of a record that is in each category: one, several after recoding, or none if missing."""
    code = int(table[name][r])
    if code < 0:
        return {}
    covered = members(original.schema[name], table.schema[name], code)
    return {c: 1 / len(covered) for c in covered}


def quantile_shares(values, groups):
    """Each value present becomes so many equal pieces; tied pieces are dealt out evenly."""
    present = sorted(v for v in values if not math.isnan(v))
    pieces = [v for v in present for _ in range(groups)]
    at = [position // len(present) for position in range(len(pieces))]
    return [
        {}
        if math.isnan(v)
        else {
            g: sum(p == v and h == g for p, h in zip(pieces, at, strict=True)) / pieces.count(v)
            for g in range(groups)
        }
        for v in values
    ]


def memberships(original, table, name, groups):
    if original.schema[name].is_numeric:
        return quantile_shares(table[name].tolist(), groups)
    return [drawn(original, table, name, r) for r in range(table.n)]


def subgroup(original, table, y, shares, group):
    """How many records of a group have y, and its mean or the shares of its categories among them."""
    total, numeric = 0.0, original.schema[y].is_numeric
    sums = {}
    for r, share in enumerate(shares):
        mass = share.get(group, 0.0)
        cell = {} if mass == 0 else {"mean": 1.0} if numeric else drawn(original, table, y, r)
        if numeric and math.isnan(table[y][r]):
            cell = {}
        total += mass * bool(cell)
        for c, part in cell.items():
            sums[c] = sums.get(c, 0.0) + mass * (table[y][r] if numeric else part)
    return total, {c: v / total for c, v in sums.items()}


def subgroup_means(original, masked, names, groups=4):
    by_attribute = []
    for y in names:
        present = [v for v in original[y].tolist() if v == v]
        s = float(np.std(present)) if present and min(present) < max(present) else 1.0
        pairs = []
        for x in [n for n in names if n != y] or [None]:
            if x is None:
                old = new = [{0: 1.0}] * original.n
            else:
                old, new = (memberships(original, table, x, groups) for table in (original, masked))
            lost = weight = 0.0
            for g in {g for share in old for g, mass in share.items() if mass > 0}:
                (n, before), (left, after) = (
                    subgroup(original, t, y, shares, g) for t, shares in ((original, old), (masked, new))
                )
                if n > 0:
                    gap = sum(abs(before.get(c, 0) - after.get(c, 0)) for c in {*before, *after})
                    gap = min(1, gap / s) if original.schema[y].is_numeric else gap / 2
                    lost, weight = lost + n * (gap if left > 0 else 1.0), weight + n
            pairs.append(lost / weight if weight else 0.0)
        by_attribute.append(sum(pairs) / len(pairs))
    return 100 * sum(by_attribute) / len(by_attribute)


def design(original, table, names):
    """Standardised columns, and the attribute each is of."""
    columns, owners = [], []
    for name in names:
        for old, new in raw_columns(original, table, name):
            present = [v for v in old if v == v]
            mean = sum(present) / len(present) if present else 0.0
            s = float(np.std(present)) if present and min(present) < max(present) else 1.0
            columns.append([0.0 if math.isnan(v) else (v - mean) / s for v in new])
            owners.append(name)
    return np.array(columns).reshape(len(owners), table.n).T, owners


def raw_columns(original, table, name):
    attribute = original.schema[name]
    if attribute.is_numeric:
        return [(original[name].tolist(), table[name].tolist())]
    old, new = ([drawn(original, t, name, r) for r in range(t.n)] for t in (original, table))
    if attribute.scale == "ordinal":
        ranks = [[sum(c * w for c, w in d.items()) if d else math.nan for d in draws] for draws in (old, new)]
        return [tuple(ranks)]
    held = sorted({c for d in old for c in d})
    return [tuple([d.get(c, 0.0) if d else math.nan for d in draws] for draws in (old, new)) for c in held]


def regression(original, masked, names, ridge=1e-4):
    old, owners = design(original, original, names)
    new, _ = design(original, masked, names)
    losses = {name: [] for name in names}
    for t, name in enumerate(owners):
        others = [j for j, owner in enumerate(owners) if owner != name]
        predictions = []
        for X in (old, new):
            mean, variances = X.mean(0), X.var(0)
            rows = (X - mean)[:, others] / math.sqrt(len(X))
            penalty = np.diag(np.sqrt(ridge * np.maximum(variances[others], 1)))
            left = np.concatenate([rows, penalty])
            right = np.concatenate([(X - mean)[:, t] / math.sqrt(len(X)), np.zeros(len(others))])
            slopes = np.linalg.lstsq(left, right, rcond=None)[0]
            predictions.append(mean[t] + (old[:, others] - mean[others]) @ slopes)
        rms = math.sqrt(np.mean((predictions[1] - predictions[0]) ** 2))
        losses[name].append(min(rms, 1.0))
    return 100 * sum(sum(v) / len(v) if v else 0.0 for v in losses.values()) / len(names)


def propensity(original, masked, names, ridge=1e-4):
    """For tables of few columns, all of whose products the model takes."""
    X, owners = design(original, original, names)
    X = np.clip(np.concatenate([X, design(original, masked, names)[0]]), -10, 10)
    columns = [np.ones(len(X)), *X.T]
    for name in names:
        gone = np.concatenate([original.missing(name), masked.missing(name)])
        columns += [gone.astype(float)] * bool(gone.any())
    for i, a in enumerate(owners):
        if original.schema[a].scale != "nominal":
            columns.append(X[:, i] ** 2)
        columns += [X[:, i] * X[:, j] for j, b in enumerate(owners) if j > i and b != a]
    F = np.column_stack(columns)
    sign = np.repeat([1.0, -1.0], original.n)

    def loss(b):
        return np.logaddexp(0, sign * (F @ b)).mean() + ridge / 2 * b @ b

    def slope(b):
        return (F * (sign * expit(sign * (F @ b)))[:, None]).mean(0) + ridge * b

    found = minimize(
        loss, np.zeros(F.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}
    )
    p = expit(F @ found.x)
    return 100 * np.mean((p - 0.5) ** 2) / 0.25
