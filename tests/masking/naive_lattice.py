"""The slow, obvious twin of the search of a lattice: every node, record by record, straight from the definitions."""

from collections import Counter, defaultdict
from itertools import product
from math import floor, log2

import numpy as np

from sfumato.kernels.population_risk import individual_risk
from sfumato.masking._levels import levels_of

BLANK = "blank"


def all_nodes(masking, table):
    """The loss of every node that can be released, by node."""
    names = masking.targets(table)
    columns = [levels_of(table, name) for name in names]
    states = [c.states(table[n], table.reasons(n)).tolist() for n, c in zip(names, columns, strict=True)]
    found = {}
    for node in product(*(range(len(column)) for column in columns)):
        shown = shown_at(columns, states, node)
        gone = suppressed(masking, table, shown, list(zip(*states, strict=True)))
        if gone is not None:
            nothing = (BLANK,) * len(columns)
            released = [nothing if i in gone else row for i, row in enumerate(shown)]
            found[node] = lost(masking.loss, table, columns, states, released, node)
    return found


def shown_at(columns, states, node):
    """What each record shows at a node: BLANK, a code of a missing value, or a group of values, by column."""
    rows = []
    for record in zip(*states, strict=True):
        row = []
        for column, state, number in zip(columns, record, node, strict=True):
            level, V = column.levels[number], len(column.values)
            if level.blank or state == V or (state > V and not level.codes):
                row.append(BLANK)
            elif state > V:
                row.append(("code", state - V))
            else:
                row.append(("group", int(level.to[state])))
        rows.append(tuple(row))
    return rows


def suppressed(masking, table, shown, records):
    """The records that are suppressed, or None where they are too many.

    Of classes of one size, that comes first whose first record does, by its states.
    """
    n = table.n
    budget = floor(masking.suppress * n / 100 + 1e-9)
    everything = strata_of(table)
    nothing = (BLANK,) * len(shown[0])
    gone = set()
    for members in everything:
        if len(members) < masking.k:
            return None
        classes = defaultdict(list)
        for i in members:
            classes[shown[i]].append(i)
        if masking.missing == "any":
            for i in members:
                if sum(alike(shown[i], shown[j]) for j in members) < masking.k:
                    gone.add(i)
            continue
        blank = classes.pop(nothing, [])
        bad = {key for key, rows in classes.items() if breaks(masking, table, rows, members)}
        if not bad and not (blank and breaks(masking, table, blank, members)):
            continue
        here = [i for key in bad for i in classes.pop(key)]
        more = 1
        while breaks(masking, table, here + blank, members):
            if not classes:
                return None
            order = sorted(
                classes, key=lambda key: (len(classes[key]), min(records[i] for i in classes[key]))
            )
            here += [i for key in order[:more] for i in classes.pop(key)]
            more *= 2
        gone |= set(here)
    return gone if len(gone) <= budget else None


def strata_of(table):
    return [rows.tolist() for _, rows in table.strata()]


def alike(a, b):
    return all(is_hole(x) or is_hole(y) or x == y for x, y in zip(a, b, strict=True))


def is_hole(cell):
    return cell == BLANK or cell[0] == "code"


def breaks(masking, table, rows, members):
    """Whether a class of records breaks a rule; it is compared with all members of its stratum."""
    if len(rows) < masking.k:
        return True
    if masking.people > 0 or masking.risk > 0:
        weights = table.schema.with_role("weight")
        people = float(table[weights[0]][rows].sum()) if weights and masking.weighted else 0.0
        people = max(people, float(len(rows)))
        risk = individual_risk(np.array([len(rows)]), np.array([people]))[0]
        if people < masking.people or (masking.risk > 0 and risk > masking.risk / 100 + 1e-12):
            return True
    if masking.l <= 1 and masking.t >= 1:
        return False
    names = masking.confidential or table.schema.with_role("confidential")
    return any(secret_broken(masking, table, name, rows, members) for name in names)


def secret_broken(masking, table, name, rows, members):
    values, everybody = (
        [v for v in table[name][at].tolist() if v == v and v != -1] for at in (rows, members)
    )
    if not values:
        return False
    counts = Counter(values)
    if masking.variant == "entropy":
        diversity = 2.0 ** -sum(c / len(values) * log2(c / len(values)) for c in counts.values())
    else:
        diversity = len(counts)
    if diversity < masking.l - 1e-9:
        return True
    return distance(table.schema[name], values, everybody) > masking.t + 1e-12


def distance(attribute, values, everybody):
    domain = sorted(set(everybody)) if attribute.is_numeric else range(attribute.domain_size)
    p = [values.count(v) / len(values) for v in domain]
    q = [everybody.count(v) / len(everybody) for v in domain]
    if attribute.scale == "nominal":
        return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    moved = sum(abs(sum(p[:i]) - sum(q[:i])) for i in range(1, len(p)))
    return moved / (len(p) - 1) if len(p) > 1 else 0.0


def lost(loss, table, columns, states, released, node):
    """The mean over strata, by their records."""
    measure = globals()[loss]
    total = 0.0
    for rows in strata_of(table):
        part = [[column[i] for i in rows] for column in states]
        total += len(rows) / table.n * measure(columns, part, [released[i] for i in rows], node)
    return total


def granularity(columns, states, released, node):
    total = 0.0
    for j, column in enumerate(columns):
        V, level = len(column.values), column.levels[node[j]]
        for state, row in zip(states[j], released, strict=True):
            if state < V and row[j] == BLANK:
                total += 1
            elif state < V:
                total += (sum(level.to[value] == level.to[state] for value in range(V)) - 1) / max(V - 1, 1)
    return 100 * total / (len(released) * len(columns))


def discernibility(columns, states, released, node):
    n = len(released)
    missing = [
        all(s >= len(c.values) for s, c in zip(row, columns, strict=True))
        for row in zip(*states, strict=True)
    ]
    before = squares(list(zip(*states, strict=True)), missing, n)
    after = squares(released, [all(map(is_hole, row)) for row in released], n)
    return 100 * (after - before) / (n * n - before) if n * n > before else 0.0


def squares(keys, missing, n):
    sizes = Counter(key for key, gone in zip(keys, missing, strict=True) if not gone)
    return sum(size * size for size in sizes.values()) + n * sum(missing)


def average_class_size(columns, states, released, node):
    n = len(released)
    before, after = n / len(set(zip(*states, strict=True))), n / len(set(released))
    return 100 * (after - before) / (n - before) if n > before else 0.0


def non_uniform_entropy(columns, states, released, node):
    total = 0.0
    for j, column in enumerate(columns):
        values = [min(state, len(column.values)) for state in states[j]]
        cells = [BLANK if is_hole(row[j]) else row[j] for row in released]
        most = bits(values, [BLANK] * len(cells))
        total += bits(values, cells) / most if most > 0 else 0.0
    return 100 * total / len(columns)


def bits(values, cells):
    pairs, totals = Counter(zip(values, cells, strict=True)), Counter(cells)
    return sum(count * log2(totals[cell] / count) for (_, cell), count in pairs.items())
