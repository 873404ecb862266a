"""MDAV: published information loss, and speed beside a plain numpy twin."""

import importlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.timing import Row
from sfumato import datasets
from sfumato.core import FileError
from sfumato.kernels.deletion_tree import leaf_size
from sfumato.kernels.mdav import SHELL, mdav_labels
from sfumato.masking import Mdav

PUBLISHED = {
    "tarragona": {3: 16.9326, 5: 22.4619, 10: 33.1929},
    "census": {3: 5.6922, 5: 9.0884, 10: 14.1559},
    "eia": {3: 0.4829, 5: 1.6667, 10: 3.8397},
}
K = 5
BEFORE = "74f3800665d1"  # the commit whose kernel is measured beside the present one, where there is git
AHEAD = {(10_000, 10): 1.8, (100_000, 10): 1.8, (1_000_000, 5): 1.8}  # how many times as fast it has to be
SIZES = (  # records, attributes, bar in seconds, and whether the numpy twin is measured too
    (1_000, 10, None, True),
    (10_000, 10, 0.1, True),
    (100_000, 2, 0.5, False),
    (100_000, 10, 4.0, False),
    (1_000_000, 5, 60.0, False),
)


def rows() -> Iterator[Row]:
    for name, by_k in PUBLISHED.items():
        try:
            table = datasets.load(name)
        except FileError:
            continue
        for k, published in by_k.items():
            il = Mdav(k=k).partition(table, np.random.default_rng(0)).il
            yield Row(f"mdav {name} k={k}: IL", il, "%", bar=published, exactly=True)
    yield from speed()
    yield from beside_the_kernel_before()


def beside_the_kernel_before() -> Iterator[Row]:
    """The share of the time that the kernel of an earlier commit takes for the same groups, in the same run."""
    with TemporaryDirectory() as folder:
        try:
            before = _kernel_before(Path(folder))
        except (OSError, subprocess.CalledProcessError):
            return  # no history here
        for (n, d), ahead in AHEAD.items():
            X = normal(n, d)
            repeats = 3 if n < 1_000_000 else 1
            if not np.array_equal(before(X), compiled(X)):
                raise AssertionError(f"the groups of {n}×{d} are not those of the kernel before")
            now, then = (
                cpu_seconds(lambda X=X: compiled(X), repeats),
                cpu_seconds(lambda X=X: before(X), repeats),
            )
            yield Row(f"mdav {n}×{d} k={K}, kernel before", now, bar=then / ahead, twin=then)


def _kernel_before(folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    package = folder / "kernels_before"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in ("mdav", "deletion_tree", "tree_search"):
        text = subprocess.run(
            ["git", "show", f"{BEFORE}:src/sfumato/kernels/{name}.py"],
            cwd=Path(__file__).parent,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for other in ("deletion_tree", "tree_search"):
            text = text.replace(f"sfumato.kernels.{other}", f"kernels_before.{other}")
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    kernel = importlib.import_module("kernels_before.mdav")
    leaf = importlib.import_module("kernels_before.deletion_tree").leaf_size
    warm = normal(3000, 10)
    kernel.mdav_labels(warm, K, leaf(10), kernel.BEST)
    return lambda X: kernel.mdav_labels(X, K, leaf(X.shape[1]), kernel.BEST)  # type: ignore[no-any-return]


def speed() -> Iterator[Row]:
    """Seconds of one core on standard normal records, kernels warm; and how they grow with n."""
    for n, d, bar, twin in SIZES:
        X = normal(n, d)
        ours = cpu_seconds(lambda X=X: compiled(X), 3 if n < 1_000_000 else 1)
        plain = cpu_seconds(lambda X=X: numpy_mdav(X, K), 1) if twin else None
        yield Row(f"mdav {n}×{d} k={K}{', numpy twin' if twin else ''}", ours, bar=bar, twin=plain)
    for d in (2, 5, 10, 20):
        n = np.array([5_000, 10_000, 20_000, 40_000])
        files = [normal(m, d) for m in n]
        seconds = [cpu_seconds(lambda X=X: compiled(X), 2) for X in files]
        exponent = np.polyfit(np.log(n), np.log(seconds), 1)[0]
        yield Row(f"mdav d={d} k={K}: growth, n to the power of", exponent, "", digits=2)


def compiled(X: np.ndarray) -> np.ndarray:
    """The kernel, also on files so small that they are usually grouped without it."""
    return mdav_labels(X, K, leaf_size(X.shape[1]), SHELL)


def normal(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def cpu_seconds(work: Callable[[], Any], repeats: int) -> float:
    """The least processor time of several runs: other work on the machine does not count."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def numpy_mdav(X: np.ndarray, k: int) -> np.ndarray:
    """MDAV as one would write it with numpy."""
    labels = np.full(len(X), -1)
    left = np.arange(len(X))
    group = 0

    def take(center: np.ndarray) -> None:
        nonlocal left, group
        near = np.argsort(((X[left] - center) ** 2).sum(axis=1), kind="stable")[:k]
        labels[left[near]] = group
        left = np.delete(left, near)
        group += 1

    while len(left) >= 2 * k:
        three = len(left) >= 3 * k
        r = X[left[np.argmax(((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1))]]
        take(r)
        if three:
            take(X[left[np.argmax(((X[left] - r) ** 2).sum(axis=1))]])
    labels[left] = group
    return labels
