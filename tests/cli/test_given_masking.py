"""`sfumato protect --masking`: the same release, report, record and gates without a search."""

import json
import shlex
import shutil
from html import unescape

import people
import pytest

from sfumato.masking import make_masking

QUICK = ("--schema", "s.toml", "--no-verdict", "--workers", "1", "--quiet")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.csv").write_text(people.PEOPLE)
    (tmp_path / "s.toml").write_text(people.SCHEMA)
    return tmp_path


def protect(run, output, *words):
    return run("protect", "in.csv", "-o", output, *QUICK, *words)


def record(folder, name):
    return json.loads((folder / f"{name}.private/record.json").read_text())


def test_any_point_of_a_search_can_be_repeated(run, folder):
    assert protect(run, "out.csv", "--methods", "rank_swapping,pram", "--seed", "4").exit_code == 0
    chosen = record(folder, "out")["chosen"]["masking"]
    for form in (json.dumps(chosen), make_masking(chosen).plain()):
        made = protect(run, "again.csv", "--masking", form, "--seed", "4")
        assert made.exit_code == 0, made.output
        assert made.stdout.startswith("As it was asked for: ")
        assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    found = record(folder, "again")
    assert found["searched"] is False and len(found["candidates"]) == 1
    assert found["chosen"]["scores"] == record(folder, "out")["chosen"]["scores"]


def test_a_list_is_a_chain_and_the_report_says_how_to_repeat_it(run, folder):
    steps = [{"method": "rank_swapping", "p": 20}, {"method": "pram", "p": 0.6}]
    made = protect(
        run, "out.csv", "--masking", json.dumps(steps), "--require", "loss <= 99", "--keep", "name"
    )
    assert made.exit_code == 0, made.output
    report = (folder / "out.private/report.html").read_text()
    assert "The masking was given; no other was tried." in report
    command = unescape(report[report.index("sfumato protect") :].partition("<")[0])
    words = shlex.split(command)
    told = words[words.index("--masking") + 1]
    assert told == "rank_swapping(p=20.0) + pram(p=0.6)"
    assert make_masking(told).spec() == record(folder, "out")["chosen"]["masking"]
    changed = ["again.csv" if word == "out.csv" else word for word in words[1:]]
    shutil.copy(folder / "out.private" / "secret.key", folder)
    assert run(*changed, "--quiet").exit_code == 0
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("--masking", '{"method": "mdav"'), 2, "A masking is given as JSON, which this is not"),
        (("--masking", "mdav(k=3"), 2, "A bracket or a quote is not closed"),
        (("--masking", "mdav(q=3)"), 2, "Unknown parameter of mdav 'q'. Known: "),
        (("--masking", "mdav + "), 2, "A part reads name"),
        (("--masking", "3"), 2, "Unknown masking method '3'"),
        (("--masking", "chain"), 2, "Unknown masking method 'chain'"),
        (("--masking", '{"method": "mdva"}'), 2, "Did you mean mdav?"),
        (("--masking", '{"k": 3}'), 2, "method"),
        (("--masking", "[]"), 2, "at least one masking"),
        (("--masking", '{"method": "mdav", "k": 1000}'), 2, "needs at least 1000 records"),
        (
            ("--masking", '{"method": "mdav"}', "--methods", "pram"),
            2,
            "leave out methods, grouping and evolving",
        ),
        (
            ("--masking", '{"method": "mdav"}', "--evolve", "5g"),
            2,
            "leave out methods, grouping and evolving",
        ),
        (
            ("--masking", '{"method": "rank_swapping"}', "--require", "loss <= 0"),
            3,
            "The only candidate does not meet all of information_loss <= 0 (it reaches",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(run, folder, words, status, sentence):
    before = sorted(folder.iterdir())
    made = protect(run, "out.csv", *words)
    assert (made.exit_code, made.stdout) == (status, "")
    assert sentence in made.stderr and len(made.stderr.splitlines()) == 1
    assert sorted(folder.iterdir()) == before


def test_a_run_folder_goes_on(run, folder):
    words = ("--methods", "rank_swapping,pram", "--evolve", "4g", "--run", "kept")
    assert protect(run, "out.csv", *words).exit_code == 0
    made = protect(run, "again.csv", *words)
    assert "from the run folder" in made.stdout
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    refused = protect(run, "other.csv", *words, "--seed", "1")
    assert refused.exit_code == 2 and "holds a run with another seed" in refused.stderr
    assert protect(run, "other.csv", "--run", "in.csv").stderr == (
        "Error: --run in.csv is a file: give the name of a folder.\n"
    )
