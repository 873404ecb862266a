"""What all tests share: no windows, reproducible examples on CI, and the classic files where they exist."""

import os

os.environ["MPLBACKEND"] = "Agg"

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=400)  # pytest --hypothesis-profile=long
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "classic(name, ...): needs these classic data sets; skipped where their files are absent"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    from sfumato import datasets

    needed = [name for marker in item.iter_markers("classic") for name in marker.args]
    callspec = getattr(item, "callspec", None)
    if item.get_closest_marker("classic") and callspec is not None and "classic" in callspec.params:
        needed.append(callspec.params["classic"])
    absent = [name for name in needed if not datasets.available(name)]
    if absent:
        pytest.skip(f"classic files of {', '.join(absent)} are absent: set SFUMATO_DATA to their folder")


@pytest.fixture
def no_classic_files(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Make the classic files unfindable, as on a machine that has none."""
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
