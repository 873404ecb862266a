import socket
import subprocess
import sys
from pathlib import Path

import pytest
from benches import Server


def _sfumato(*words: str, code: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *words] if code else [sys.executable, "-m", "sfumato", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--folder", "{folder}/nowhere"], "does not exist"),
        (["--folder", "{folder}/file"], "does not exist"),
        (["--home", "{folder}/file/home"], "cannot be made"),
        (["--port", "{taken}"], "cannot be used"),
        (["--port", "70000"], "65535"),
        (["--most-upload", "many"], "such as 2GB"),
        (["--most-upload", "0MB"], "such as 2GB"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    (tmp_path / "file").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = [word.replace("{folder}", str(tmp_path)).replace("{taken}", port) for word in words]
        found = _sfumato("web", *([] if "--folder" in told else ["--folder", str(tmp_path)]), *told)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("Error: ")
    assert found.stderr.count("\n") == 1
    assert sentence in found.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    hidden = (
        "import sys; from importlib.machinery import PathFinder as F; f = F.find_spec\n"
        "F.find_spec = lambda name, *rest: None if name == 'nicegui' else f(name, *rest)\n"
        "from sfumato.cli import main; main()"
    )
    found = _sfumato("web", "--folder", str(tmp_path), code=hidden)
    assert found.returncode == 2
    assert "pip install 'sfumato[web]'" in found.stderr


def test_help_does_not_load_the_pages() -> None:
    code = "import sys, click; from sfumato.cli import main\ntry: main()\nexcept SystemExit: print('nicegui' in sys.modules)"
    for words in (["--help"], ["web", "--help"]):
        found = _sfumato(*words, code=code)
        assert "Open the workbench" in found.stdout
        assert found.stdout.endswith("False\n")


def test_ctrl_c_while_the_pages_load(tmp_path: Path) -> None:
    status, out, errors = Server(tmp_path).stop()
    assert (status, out.count("\n"), errors) == (0, 1, "")
