"""A tree of boxes over records, planted fast: for searches that are too few to pay for a slow tree."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles
from sfumato.kernels.nearest import CHILD, END, HIGH, HOLES, LOW, START

LEAF = 12  # rows in a leaf at most, where nothing speaks for another number
HOLE = 1e-9  # the side of a box in which some values are missing and the others are equal


_small_files = SmallFiles(10_000)


def plant(X: np.ndarray, scales: np.ndarray, leaf: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The order of rows, and the nodes and boxes over them in that order, as `kernels.nearest` wants them.

    Each node is halved along its widest side, measured in units of `scales`, until it holds at most `leaf` rows or
    rows that are all alike.
    """
    plain = _small_files.takes(len(X))
    return (plain_tree if plain else compiled_tree)(X, scales, leaf)


def plain_tree(X: np.ndarray, scales: np.ndarray, leaf: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same without compiled code, to the order of rows within a leaf."""
    order = np.arange(len(X))
    nodes, boxes = [[0, len(X), 0]], []
    for node in nodes:  # which grows
        start, end, _ = node
        box, widest = _plain_box(X[order[start:end]], scales)
        boxes.append(box)
        if widest >= 0 and end - start > leaf:
            keys, rows = X[order[start:end], widest], order[start:end].tolist()
            middle = (end - start) // 2
            _exchange(np.where(np.isnan(keys), np.inf, keys).tolist(), rows, middle)
            order[start:end] = rows
            node[CHILD] = len(nodes)
            nodes += [[start, start + middle, 0], [start + middle, end, 0]]
    return order, np.array(nodes, np.int64), np.array(boxes).reshape(len(nodes), X.shape[1], 3)


def _plain_box(values: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, int]:
    """The box of some rows, and its widest side, or −1 where all are equal."""
    holes = np.isnan(values).any(axis=0)
    low, high = (
        np.fmin.reduce(values, axis=0, initial=np.inf),
        np.fmax.reduce(values, axis=0, initial=-np.inf),
    )
    wide = np.where(low > high, 0.0, np.where(low < high, (high - low) * scales, 0.0))
    wide[(wide == 0) & holes & (low <= high)] = HOLE
    widest = int(wide.argmax()) if (wide > 0).any() else -1
    return np.column_stack([low, high, holes]), widest


def _exchange(keys: list[float], rows: list[int], middle: int) -> None:
    """`_halve` on lists."""
    left, right = 0, len(keys) - 1
    while left < right:
        pivot = sorted((keys[left], keys[(left + right) // 2], keys[right]))[1]
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j], rows[i], rows[j] = keys[j], keys[i], rows[j], rows[i]
                i, j = i + 1, j - 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@kernel
def compiled_tree(X: np.ndarray, scales: np.ndarray, leaf: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same, compiled."""
    n, d = X.shape
    order = np.arange(n)
    most = 2 * (n // ((leaf + 1) // 2)) + 1
    nodes, boxes = np.zeros((most, 3), np.int64), np.empty((most, d, 3))
    keys = np.empty(n)
    nodes[0, END] = n
    planted = 1
    node = 0
    while node < planted:
        start, end = nodes[node, START], nodes[node, END]
        widest = _enclose(X, order[start:end], boxes[node], scales)
        if widest >= 0 and end - start > leaf:
            middle = start + (end - start) // 2
            for i in range(start, end):
                x = X[order[i], widest]
                keys[i] = np.inf if np.isnan(x) else x
            _halve(keys, order, start, end - 1, middle)
            nodes[node, CHILD] = planted
            nodes[planted, START], nodes[planted, END] = start, middle
            nodes[planted + 1, START], nodes[planted + 1, END] = middle, end
            planted += 2
        node += 1
    return order, nodes[:planted], boxes[:planted]


@kernel
def merge_equal_rows(n: int, nodes: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Let the first row stand for a leaf whose rows are all alike; for how many each of n rows stands."""
    counts = np.ones(n, np.int64)
    for node in range(len(nodes)):
        start, end = nodes[node, START], nodes[node, END]
        if nodes[node, CHILD] == 0 and end > start and _is_point(boxes[node]):
            counts[start], nodes[node, END] = end - start, start + 1
    return counts


@kernel
def _is_point(box: np.ndarray) -> bool:
    for j in range(len(box)):
        low, high = box[j, LOW], box[j, HIGH]
        if low < high or (low == high and box[j, HOLES] > 0):
            return False
    return True


@kernel
def _enclose(X: np.ndarray, rows: np.ndarray, box: np.ndarray, scales: np.ndarray) -> int:
    """Find the box of some rows; its widest side, or −1 where all rows are equal."""
    d = X.shape[1]
    for j in range(d):
        box[j, LOW], box[j, HIGH], box[j, HOLES] = np.inf, -np.inf, 0.0
    for i in rows:
        for j in range(d):
            x = X[i, j]
            if np.isnan(x):
                box[j, HOLES] = 1.0
            else:
                box[j, LOW], box[j, HIGH] = min(box[j, LOW], x), max(box[j, HIGH], x)
    widest, side = -1, 0.0
    for j in range(d):
        if box[j, LOW] > box[j, HIGH]:
            continue
        wide = (box[j, HIGH] - box[j, LOW]) * scales[j]
        if wide == 0 and box[j, HOLES] > 0:
            wide = HOLE
        if wide > side:
            widest, side = j, wide
    return widest


@kernel
def _halve(keys: np.ndarray, order: np.ndarray, left: int, right: int, middle: int) -> None:
    """Exchange keys, and the order with them, until none before the middle is larger than one behind."""
    while left < right:
        a, b, c = keys[left], keys[(left + right) // 2], keys[right]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return
