"""What holds for every command: help, statuses, speed."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sfumato.cli import main
from sfumato.cli.command_line import CommandLine
from sfumato.cli.failures import close_quietly, explain
from sfumato.core.errors import Cancelled, GateError, MissingExtraError

COMMANDS = ("demo", "describe", "protect", "mask", "evaluate", "methods")
HEAVY = {"numpy", "numba", "pyarrow", "scipy", "matplotlib", "rich", "msgspec", "narwhals"}
SCIPY = {f"scipy.{part}" for part in ("fft", "linalg", "optimize", "sparse", "spatial", "special", "stats")}
LATE = SCIPY | {
    "sklearn",
    "pandas",
    "polars",
    "matplotlib",
    "jinja2",
    "duckdb",
    "distributed",
    "pyarrow.parquet",
    "networkx",
}


def sfumato(*arguments, **settings):
    command = [sys.executable, "-m", "sfumato", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **settings)


def starts_within(limit, *command):
    """Whether one of six starts takes less than so many seconds of processor time; most often the first does."""

    def seconds():  # not by the clock: tests share the machine
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime

    return any(seconds() < limit for _ in range(6))


def imported(*words):
    command = [sys.executable, "-X", "importtime", *words]
    traced = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip() for line in traced.stderr.splitlines()}


@pytest.mark.parametrize("words", [["--help"], ["methods"]])
def test_starts_fast_and_light(words):
    assert starts_within(0.5, "-m", "sfumato", *words)
    assert not imported("-m", "sfumato", *words) & HEAVY


def test_import_is_fast():
    assert starts_within(0.3, "-c", "import sfumato")


@pytest.mark.parametrize(
    "words", [["-c", "import sfumato; sfumato.protect"], ["-m", "sfumato", "protect", "--help"]]
)
def test_protect_loads_no_library_before_it_is_used(words):
    """Scipy itself may be loaded: its parts are, when first named."""
    assert not imported(*words) & LATE


def test_masking_a_small_file_neither_compiles_nor_judges(tmp_path):
    """Every judgement of numbers uses kernels: none that was loaded has code, compiled now or kept from before."""
    code = """
import sys, sfumato
file = sfumato.datasets.business_survey(200, seed=0)
sfumato.mask(file, "mdav(k=5)", seed=0)
used = lambda: [
    f"{module}.{name}"
    for module, found in list(sys.modules.items()) if module.startswith("sfumato.kernels.")
    for name, kernel in vars(found).items() if getattr(kernel, "signatures", None)
]
assert not used(), used()
sfumato.evaluate(file, file, measures=["distance_linkage"])
assert used()
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_help_lists_commands_and_statuses(run):
    for words in ([], ["--help"], ["-h"]):
        result = run(*words)
        assert result.exit_code == 0
        for text in (*COMMANDS, "Exit status", "130"):
            assert text in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0 and result.stdout.startswith("Usage: ")


def test_version(run):
    assert run("--version").stdout.startswith("sfumato ")


def test_module_and_pipe():
    assert sfumato("--version").stdout.startswith("sfumato ")
    result = sfumato("mthods")
    assert result.returncode == 2
    assert result.stderr == "Error: Unknown command 'mthods'. Did you mean methods? See sfumato --help.\n"


def test_broken_pipe_is_silent():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "sfumato", "methods"]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert result.stderr == ""
    assert result.returncode == 0


def test_where_the_reader_has_gone_what_is_left_goes_nowhere(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    gone = os.fdopen(writer, "w")
    monkeypatch.setattr(sys, "stdout", gone)
    print("told")
    with pytest.raises(BrokenPipeError):
        gone.flush()
    close_quietly()
    print("more", flush=True)
    sys.stdout.close()
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), gone.fileno())
    gone.close()


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (GateError("None meets it."), 3, "None meets it."),
        (MissingExtraError("Reading .sav", "stats"), 2, "pip install 'sfumato[stats]'"),
        (Cancelled("Stopped."), 130, "Stopped."),
        (KeyboardInterrupt(), 130, "half-written"),
        (click.Abort(), 130, "half-written"),
        (MemoryError(), 2, "Not enough memory"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "The disk is full."),
        (PermissionError(errno.EACCES, "Permission denied", "x.csv"), 2, "x.csv: Permission denied."),
        (click.UsageError("No such thing"), 2, "No such thing."),
        (ValueError("SECRET_7351"), 1, "SFUMATO_DEBUG=1"),
    ],
)
def test_errors_become_sentences(error, status, says):
    sentence, got = explain(error)
    assert got == status
    assert says in sentence
    assert "SECRET" not in sentence


def failing(error):
    group = CommandLine(name="sfumato", help="", epilog="")

    def fail():
        raise error

    group.get_command = lambda ctx, name: click.Command("methods", callback=fail)
    return CliRunner().invoke(group, ["methods"])


def test_unexpected_errors_show_a_trace_only_when_asked(monkeypatch):
    result = failing(RuntimeError("boom"))
    assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert "RuntimeError" in result.stderr and "boom" not in result.stderr
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    assert "Traceback" in failing(RuntimeError("boom")).stderr


def test_ctrl_c_is_one_sentence():
    result = failing(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr == "Error: Stopped by Ctrl-C; no file is left half-written.\n"


def test_control_characters_do_not_reach_the_terminal():
    result = CliRunner().invoke(main, ["des\x1b[31mcribe\n\n"])
    assert "\x1b" not in result.stderr and result.stderr.count("\n") == 1
