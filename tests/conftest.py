"""What all tests share: no windows, kept bytecode, reproducible examples on CI, and the classic files where they exist."""

import os

os.environ["MPLBACKEND"] = "Agg"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each compile all sources again

import functools
import multiprocessing
import random
import signal
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings

if (
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN
):  # as in the background of a shell; processes would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("local", deadline=None, max_examples=20)
settings.register_profile("ci", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=400)  # pytest --hypothesis-profile=long
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="tests in another order, file by file")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files in another order, and the tests in each; what a file shares is still set up once."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        rng = random.Random(seed)
        files: dict[Path, list[pytest.Item]] = {}
        for item in rng.sample(items, len(items)):
            files.setdefault(item.path, []).append(item)
        items[:] = [item for file in files.values() for item in file]


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


# where it is not the point how workers come to be: tests/parallel and others start them as the package does
WITH_PREPARED_WORKERS = {"attacks", "cli", "groups", "intruder", "jobs", "masking", "measures", "search"}
PREPARED = ["sfumato.parallel.workers", "sfumato.jobs", "sfumato.search.problems.masked_files"]


@pytest.fixture(scope="session")
def prepared_workers() -> Iterator[SimpleNamespace | None]:
    """Worker processes of one that has imported the package, which takes each of them most of a second."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield None
        return
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PREPARED)
    yield SimpleNamespace(get_context=lambda _: context)
    forkserver._forkserver._stop()  # type: ignore[attr-defined]  # waits for it, so that its time counts


@pytest.fixture(scope="module", autouse=True)
def workers_that_start_at_once(
    request: pytest.FixtureRequest, prepared_workers: SimpleNamespace | None
) -> Iterator[None]:
    here = Path(__file__).parent
    folder = request.path.relative_to(here).parts[0] if request.path.is_relative_to(here) else ""
    with pytest.MonkeyPatch.context() as patch:
        if prepared_workers is not None and folder in WITH_PREPARED_WORKERS:
            patch.setattr("sfumato.parallel.workers.multiprocessing", prepared_workers)
        yield


# where what a report draws is not the point: tests/plots and tests/reports look at that
WITHOUT_DRAWINGS = {"cli", "data", "docs", "exports", "jobs"}


def words_of(figure: Any, *, prefix: str = "", description: str = "") -> str:
    """The words of a figure in place of the drawing, which takes each report the time of all else in it."""
    from matplotlib.text import Text

    words = "".join(
        f'<text fill="{text.get_color()}" font-size="{text.get_size():g}">{escape(text.get_text())}</text>\n'
        for text in figure.findobj(Text)
    )
    about = f'role="img" aria-label="{escape(description)}"' if description else ""
    return f'<svg xmlns="http://www.w3.org/2000/svg" {about}>\n{words}</svg>\n'


@pytest.fixture(scope="module", autouse=True)
def reports_without_drawings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Reports of this process; a test that asks for `drawn` has real ones."""
    here = Path(__file__).parent
    folder = request.path.relative_to(here).parts[0] if request.path.is_relative_to(here) else ""
    with pytest.MonkeyPatch.context() as patch:
        if folder in WITHOUT_DRAWINGS:
            patch.setattr("sfumato.plots.svg_text", words_of)
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports with their drawings, in folders where others have only the words of these."""
    from sfumato.plots import _style

    monkeypatch.setattr("sfumato.plots.svg_text", _style.svg_text)


@pytest.fixture(scope="session", autouse=True)
def templates_read_once() -> Iterator[None]:
    """Each page has an environment of its own, which would compile the same templates again."""
    import jinja2

    class Kept(jinja2.BytecodeCache):
        def __init__(self) -> None:
            self.known: dict[str, bytes] = {}

        def load_bytecode(self, bucket: Any) -> None:
            if bucket.key in self.known:
                bucket.bytecode_from_string(self.known[bucket.key])

        def dump_bytecode(self, bucket: Any) -> None:
            self.known[bucket.key] = bucket.bytecode_to_string()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jinja2.Environment", functools.partial(jinja2.Environment, bytecode_cache=Kept()))
        yield
