import pytest
from click.testing import CliRunner, Result

from sfumato.cli import main


@pytest.fixture(autouse=True)
def _no_lines(monkeypatch):
    """Lines of progress come after so many seconds, and a busy machine may take them."""
    monkeypatch.setattr("sfumato.cli.progress_lines.EVERY", float("inf"))


@pytest.fixture(autouse=True)
def _one_process(monkeypatch):
    """Where nothing else is asked for: worker processes take seconds to start, and tests that need them ask."""
    for module in ("_work", "_reproduction", "evolve_equation"):
        monkeypatch.setattr(f"sfumato.jobs.{module}.available_cores", lambda: 1)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments))

    return call
