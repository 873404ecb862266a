import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfumato.kernels._compile import fingerprint, forget_stale_code, kept

PLAIN = "from numba import njit\nkernel = njit(cache=True)\n"
OURS = (
    "from pathlib import Path\nfrom sfumato.kernels._compile import fingerprint, kept\n"
    "SOURCES = fingerprint(Path(__file__).parent)\n"
    "def kernel(function):\n    return kept(function, SOURCES)\n"
)
CALLEE = "from kernels import kernel\n\n@kernel\ndef inner(x):\n    return x + {}\n"
CALLER = (
    "from kernels import kernel\nfrom inner import inner\n\n@kernel\ndef outer(x):\n    return inner(x)\n"
)


def outer_of_one(folder: Path, cache: Path) -> tuple[int, ...]:
    code = "from outer import outer; print(outer(1), len(outer.stats.cache_hits))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(int, done.stdout.split()))


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


def test_old_code_is_removed_and_present_code_kept(tmp_path):
    (tmp_path / "inner.py").write_text("1")
    before = fingerprint(tmp_path)
    forget_stale_code(tmp_path, before)
    code = tmp_path / "__pycache__" / "inner.inner-1.py311.nbi"
    code.write_text("")
    forget_stale_code(tmp_path, before)
    assert code.exists()
    (tmp_path / "inner.py").write_text("2")
    assert fingerprint(tmp_path) != before
    forget_stale_code(tmp_path, fingerprint(tmp_path))
    assert not code.exists()
