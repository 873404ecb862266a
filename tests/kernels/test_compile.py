import subprocess
import sys

from sfumato.kernels._compile import forget_stale_code

CALLEE = "from numba import njit\n\n@njit(cache=True)\ndef inner(x):\n    return x + {}\n"
CALLER = "from numba import njit\nfrom inner import inner\n\n@njit(cache=True)\ndef outer(x):\n    return inner(x)\n"


def outer_of_one(folder):
    code = "from outer import outer; print(outer(1))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_changed_kernel_makes_its_callers_compile_anew(tmp_path):
    (tmp_path / "inner.py").write_text(CALLEE.format(1))
    (tmp_path / "outer.py").write_text(CALLER)
    forget_stale_code(tmp_path)
    assert outer_of_one(tmp_path) == 2
    (tmp_path / "inner.py").write_text(CALLEE.format(10))
    assert outer_of_one(tmp_path) == 2  # what numba does by itself
    forget_stale_code(tmp_path)
    assert outer_of_one(tmp_path) == 11


def test_unchanged_kernels_are_kept(tmp_path):
    (tmp_path / "inner.py").write_text(CALLEE.format(1))
    forget_stale_code(tmp_path)
    kept = tmp_path / "__pycache__" / "inner.inner-1.py311.nbi"
    kept.write_text("")
    forget_stale_code(tmp_path)
    assert kept.exists()
