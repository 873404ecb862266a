import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.kernels._compile import fingerprint, forget_stale_code, kept

PLAIN = "from numba import njit\nkernel = njit(cache=True)\n"
OURS = "from sfumato.kernels._compile import kernel\n"
CALLEE = "from kernels import kernel\n\n@kernel\ndef inner(x):\n    return x + {}\n"
CALLER = (
    "from kernels import kernel\nfrom inner import inner\n\n@kernel\ndef outer(x):\n    return inner(x)\n"
)


def started(folder: Path, cache: Path) -> "subprocess.Popen[str]":
    """A process that tells outer(1), and how often it found code that was kept."""
    code = "from outer import outer; print(outer(1), len(outer.stats.cache_hits))"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        text=True,
    )


def told(process: "subprocess.Popen[str]") -> tuple[int, ...]:
    with process:
        return tuple(map(int, process.communicate()[0].split()))


def outer_of_one(folder: Path, cache: Path) -> tuple[int, ...]:
    return told(started(folder, cache))


@pytest.mark.parametrize("kernels, changed", [(PLAIN, (2, 1)), (OURS, (11, 0))], ids=["numba", "ours"])
def test_a_changed_kernel_makes_its_callers_compile_anew(tmp_path, kernels, changed):
    """Also where code is kept outside of the tree; numba by itself goes on with the old one."""
    tree, cache = tmp_path / "tree", tmp_path / "cache"
    tree.mkdir()
    for name, text in {"kernels": kernels, "inner": CALLEE.format(1), "outer": CALLER}.items():
        (tree / f"{name}.py").write_text(text)
    assert outer_of_one(tree, cache) == (2, 0)
    assert outer_of_one(tree, cache) == (2, 1)
    (tree / "inner.py").write_text(CALLEE.format(10))
    assert outer_of_one(tree, cache) == changed


@pytest.mark.skipif(sys.platform == "win32", reason="there both may compile")
def test_of_processes_that_need_the_same_at_once_one_compiles(tmp_path):
    for name, text in {"kernels": OURS, "inner": CALLEE.format(1), "outer": CALLER}.items():
        (tmp_path / f"{name}.py").write_text(text)
    processes = [started(tmp_path, tmp_path / "cache") for _ in range(3)]
    assert sorted(map(told, processes)) == [(2, 0), (2, 1), (2, 1)]


def doubled(x):
    return x + x


def test_code_for_different_types_saved_at_once_is_told_apart(monkeypatch, tmp_path):
    """Both looked into the index before either had saved."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    one, other = kept(doubled, ""), kept(doubled, "")
    monkeypatch.setattr(other._cache._cache_file, "_load_index", dict)
    assert one(np.float64(1.5)) == 3.0
    assert other(np.int64(4)) == 8
    names = {path.name for path in tmp_path.rglob("*.nbc")}
    assert len(names) == 2
    third = kept(doubled, "")
    assert third(np.int64(4)) == 8 and third.stats.cache_hits
    assert third(np.float64(1.5)) == 3.0


@pytest.fixture
def tree(tmp_path):
    """An outer kernel that imports an inner one, and another beside them."""
    texts = {"inner": "1", "outer": "from sfumato.kernels.inner import inner", "other": "from math import pi"}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    yield tmp_path
    fingerprint.cache_clear()
    forget_stale_code.cache_clear()


def changed(path, text):
    path.write_text(text)
    fingerprint.cache_clear()
    forget_stale_code.cache_clear()


def test_a_file_hangs_on_those_it_imports_and_on_no_others(tree):
    before = {name: fingerprint(tree / f"{name}.py") for name in ("inner", "outer", "other")}
    changed(tree / "inner.py", "2")
    after = {name: fingerprint(tree / f"{name}.py") for name in before}
    assert {name for name in before if before[name] != after[name]} == {"inner", "outer"}


def test_old_code_is_removed_and_present_code_kept(tree):
    forget_stale_code(tree / "outer.py")
    old = tree / "__pycache__" / "outer.outer-1.py311.nbi"
    others = tree / "__pycache__" / "other.other-1.py311.nbi"
    old.write_text("")
    others.write_text("")
    forget_stale_code.cache_clear()
    forget_stale_code(tree / "outer.py")
    assert old.exists()
    changed(tree / "inner.py", "2")
    forget_stale_code(tree / "outer.py")
    assert not old.exists() and others.exists()
