import pytest
from click.testing import CliRunner, Result

from sfumato.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments))

    return call
