"""The check of tests by mutants, on a package of two modules of which one is tested well."""

import ast
from pathlib import Path

import pytest
from benchmarks.mutants.changes import changes
from benchmarks.mutants.check import mutants, run
from benchmarks.mutants.chosen_tests import ChosenTests
from benchmarks.mutants.equivalents import Equivalents
from benchmarks.mutants.reach import Reach
from benchmarks.mutants.related_tests import RelatedTests
from benchmarks.mutants.trials import Mutant, Trials, package_of

ROOT = Path(__file__).parents[2]

TOY = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib --doctest-modules"\n',
    "src/toy/__init__.py": "from toy.sizes._limits import is_small\n",
    "src/toy/sizes/__init__.py": "",
    "src/toy/sizes/_limits.py": "def is_small(n: int | None = 3) -> bool:\n    return n < 5\n",
    "src/toy/sizes/loops.py": (
        "def steps(n):\n    found = 0\n    while n > 0:\n        n -= 2\n        found += 1\n    return found\n"
    ),
    "src/toy/shapes/round_shape.py": "from toy.sizes.loops import steps\n\n\nclass RoundShape:\n    sides = 1\n",
    "tests/sizes/test_limits.py": (
        "from toy import is_small\n\n\ndef test_limits():\n    assert is_small(4) and not is_small(5)\n\n\n"
        "def test_that_fails_anyway():\n    assert not is_small(0)\n"
    ),
    "tests/sizes/test_limits_nowhere.py": "import nowhere\n",
    "tests/test_steps.py": "from toy.sizes.loops import steps\n\n\ndef test_steps():\n    assert steps(4) == 2\n",
    "tests/test_round.py": "from toy.shapes.round_shape import RoundShape\n\n\ndef test_it_is_there():\n    assert RoundShape\n",
}
LIMITS = ["tests/sizes/test_limits.py", "tests/sizes/test_limits_nowhere.py"]


@pytest.fixture
def toy(tmp_path):
    for name, text in TOY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def told(source):
    return [(change.kind, change.made(source)) for change in changes(source)]


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("a < b <= 2.0", ["(a <= b <= 2.0)", "(a >= b <= 2.0)", "(a < b < 2.0)", "(a < b > 2.0)", "a < b <= 4.0"]),
        ("a and not b", ["(a or not b)", "a and (b)"]),
        ("x = é + y", ["x = (é - y)"]),
        ("x = 'é' + 2 * y", ["x = 'é' + (2 / y)", "x = 'é' + 3 * y", "x = 'é' + 1 * y"]),
        ("x[i] = y", ["pass"]),
        ("x = y", []),
        ("def f():\n    return True", ["def f():\n    return None", "def f():\n    return False"]),
        ("for i in x: break", ["for i in x: continue"]),
        ("x: Literal[1] = f'{a + 1}'", []),
        ("@kept(1)\ndef f(n: int | None) -> Literal[2]: 'text'", []),
        ("if TYPE_CHECKING: n = 1", []),
        ("f(\n    'é', 7)\n", ["pass\n", "f(\n    'é', 8)\n", "f(\n    'é', 6)\n"]),
    ],
)  # fmt: skip
def test_each_change_is_in_one_place(source, others):
    assert [made for _, made in told(source)] == others


def test_every_change_of_our_own_sources_can_be_read_and_is_one(monkeypatch):
    source = (ROOT / "src/sfumato/measures/_explanations.py").read_text(encoding="utf-8")
    own = ast.dump(ast.parse(source))
    made = [ast.dump(ast.parse(text)) for _, text in told(source)]
    assert len(made) > 20 and own not in made
    assert {"comparison", "condition", "constant", "return"} <= {kind for kind, _ in told(source)}


def test_tests_are_related_by_name_import_and_mention(toy):
    tests = RelatedTests(toy)

    def of(module):
        return [path.stem for path in tests.of(toy / "src/toy" / module)]

    assert of("sizes/_limits.py") == ["test_limits", "test_limits_nowhere"]
    assert of("sizes/loops.py") == ["test_steps", "test_round"]
    assert of("shapes/round_shape.py") == ["test_round"]


def test_of_our_own_tests_the_nearest_come_first():
    tests = RelatedTests(ROOT)
    first = {
        module: tests.of(ROOT / "src/sfumato" / module)[0].relative_to(ROOT / "tests").as_posix()
        for module in ("masking/vmdav.py", "measures/population_uniques.py", "core/streams.py")
    }
    assert first["masking/vmdav.py"] == "masking/test_vmdav.py"
    assert first["core/streams.py"] == "core/test_streams.py"


def test_what_tests_notice_and_what_survives(toy, tmp_path_factory):
    module = Path("src/toy/sizes/_limits.py")
    source = TOY[module.as_posix()]
    usual, limit = (change for change in changes(source) if change.new in ("(n <= 5)", "2"))
    trials = Trials(toy, tmp_path_factory.mktemp("copies"), limit=120)
    assert trials.verdict(Mutant(module, limit), LIMITS[:1]) == "noticed"
    assert trials.verdict(Mutant(module, usual), LIMITS) == "survived"  # what fails anyway tells nothing
    assert (toy / module).read_text() == source


@pytest.mark.slow
def test_a_mutant_that_hangs_is_noticed(toy, tmp_path_factory):
    module = Path("src/toy/sizes/loops.py")
    (endless,) = [change for change in changes(TOY[module.as_posix()]) if change.new == "n += 2"]
    trials = Trials(toy, tmp_path_factory.mktemp("copies"), limit=8)
    assert trials.verdict(Mutant(module, endless), ["tests/test_steps.py"]) == "noticed"


def test_a_line_is_run_by_the_tests_that_were_watched_to_run_it(toy):
    usual = toy / "src/toy/sizes/_limits.py"
    usual.write_text(
        "LEAST = 5\n\n\ndef is_small(n: int = 3) -> bool:\n    if n < 0:\n        return True\n    return (n\n        < LEAST)\n"
    )
    reach = Reach(toy)
    small = {f"tests/sizes/test_limits.py::{test}" for test in ("test_limits", "test_that_fails_anyway")}
    steps = {"tests/test_steps.py::test_steps"}
    assert set(reach.seconds) >= small | steps

    def of(module, line):
        return reach.tests(Path("src/toy", module), line)

    assert of("sizes/_limits.py", 5) == of("sizes/_limits.py", 7) == of("sizes/_limits.py", 8) == small
    assert of("sizes/_limits.py", 1) == small  # a constant, by the line that mentions it
    assert of("sizes/_limits.py", 4) == of("sizes/_limits.py", 6) == small  # run by nobody: all of the module
    assert of("sizes/loops.py", 5) == steps
    assert of("shapes/round_shape.py", 5) == set()
    usual.write_text(
        "AGE = 3\n" + usual.read_text().replace("n < 0", "n < -1")
    )  # watched once, lines are known again
    again = Reach(toy)
    assert again.tests(Path("src/toy/sizes/_limits.py"), 9) == small


def test_what_runs_a_line_is_asked_first_and_no_more_than_there_is_time_for(toy):
    module = Path("src/toy/sizes/loops.py")
    (step,) = [change for change in changes(TOY[module.as_posix()]) if change.new == "3"]

    def asked(seconds):
        return ChosenTests(toy, seconds).of(module, step)

    assert asked(60) == ["tests/test_steps.py::test_steps", "tests/test_round.py::test_it_is_there"]
    assert asked(0) == []
    (toy / "tests/test_loops.py").write_text("from toy.sizes.loops import steps\n")
    assert asked(60)[0] == "tests/test_loops.py"  # nobody watched it


def test_packages_are_taken_in_turn_and_a_seed_draws_the_same(toy):
    def drawn(seed, only=""):
        return list(mutants(toy, only, seed))

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(drawn(1)) == len(set(drawn(1))) == len(set(drawn(1)) | set(drawn(2)))
    packages = [package_of(mutant.module) for mutant in drawn(1)]
    assert packages[:4].count("sizes") == packages[:4].count("shapes") == packages.count("shapes") == 2
    assert packages[4:].count("sizes") == len(packages) - 4 > 10
    assert {package_of(mutant.module) for mutant in drawn(1, "shap")} == {"shapes"}
    assert package_of(Path("src/toy/start.py")) == "toy"


def test_a_change_elsewhere_draws_no_others(toy):
    def of_loops():
        return [
            (mutant.change.old, mutant.change.new)
            for mutant in mutants(toy, "sizes", 1)
            if mutant.module.stem == "loops"
        ]

    before = of_loops()
    for name in ("_limits", "loops"):
        module = toy / f"src/toy/sizes/{name}.py"
        module.write_text("import math\n\n" + module.read_text())
    assert of_loops() == before


def test_the_summary_tells_packages_apart_and_judges(toy, capsys):
    assert run(["--count", "2", "--seed", "1", "--only", "shapes"], toy) == 1
    said = capsys.readouterr().out
    assert said.count("survived   src/toy/shapes/round_shape.py:5: 1  →  ") == 2
    assert said.splitlines()[-1].split() == ["all", "2", "0", "2", "0", "0", "0.0"]


def test_equivalents_are_named_with_a_reason_and_neither_tried_nor_counted(toy, capsys):
    file = toy / "benchmarks/mutants/equivalents.toml"
    file.parent.mkdir(parents=True)
    named = 'line = "sides = 1"\nold = "1"\nwhy = "for show"\n'
    heading = '[["src/toy/shapes/round_shape.py"]]\n'
    file.write_text(f'{heading}{named}new = "2"\n{heading}{named}new = "0"\n')
    assert run(["--count", "2", "--seed", "1", "--only", "shapes"], toy) == 0
    said = capsys.readouterr().out
    assert said.count("equivalent src/toy/shapes/round_shape.py:5: 1  →  ") == 2
    assert said.splitlines()[-1].split() == ["all", "2", "0", "0", "2", "0", "100.0"]


def test_our_own_equivalents_are_changes_of_lines_that_are_there():
    for module, line, old, new in Equivalents.of(ROOT).named:
        source = (ROOT / module).read_text(encoding="utf-8")
        lines = [text.strip() for text in source.splitlines()]
        assert (line, old, new) in {(lines[one.line - 1], one.old, one.new) for one in changes(source)}, line
