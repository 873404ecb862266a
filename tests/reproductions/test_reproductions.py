"""What every reproduction must keep to. A new file in the folder is tested here without a change."""

import dataclasses
import json
import math
import time
import xml.etree.ElementTree as ET

import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from sfumato import datasets
from sfumato.core import FileError, ParameterError, UnknownNameError, parameters, registry
from sfumato.jobs._bars import COMPARISONS, WITHIN
from sfumato.jobs.reproduce import Reproduce
from sfumato.reports.delivery import deliver
from sfumato.reproductions import (
    Bar,
    Findings,
    Line,
    Reproduced,
    Reproduction,
)

NAMES = registry.names("reproductions")
every_reproduction = pytest.mark.parametrize("name", NAMES)
HEAVY = {  # one run of them takes long enough
    "evolution",
    "front",
    "grouping",
    "groups",
    "microaggregation",
    "pram",
    "pram_equations",
}
TRIED_ELSEWHERE = {"evolution", "front", "pram_equations"}  # in files of their own, as here where asked for
QUICK_SECONDS = 30  # of the processor; kernels may have to be compiled
SMALLER = {  # what shows the parts of a study and how they are written, in less than its short form takes
    "arena": {"others": ()},
    "clustering": {"k": (50,), "clusters": (8, 75)},
    "grouping": {"k": (100,), "generations": 1, "population": 6},
    "groups": {"records": 30_000, "generations": 4, "state_generations": 3, "runs": 1},
    "pram": {"generations": 3, "invariant_generations": 2, "fresh": 2},
    "social": {"runs": 1},
}


@every_reproduction
def test_says_what_it_repeats(name):
    made = registry.load("reproductions", name)
    assert issubclass(made, Reproduction)
    assert made.name == name
    assert len(made.source) > 10
    assert registry.summary("reproductions", name) == made.summary() != ""
    assert len(made.__doc__ or "") > 100
    assert all(data in datasets.names() for data in made.data)
    for parameter in parameters(made).values():
        assert parameter.help, parameter.name
    assert {"seed", "workers"} <= set(parameters(made))
    assert made() == made.from_parameters({})


@pytest.mark.parametrize("name", [name for name in NAMES if name not in TRIED_ELSEWHERE])
def test_a_shorter_form_holds_together(name, tmp_path):
    """One run for all that follows: it is the longest part of it."""
    run = quick_run(name, **SMALLER.get(name, {}))
    check_written_whole(one_drawing_of_each_kind(run), tmp_path)
    if name not in HEAVY:
        crew = 2 if name == "clustering" else 1  # two processes take longer to start than to work
        check_seed_fixes(run, workers=crew, **SMALLER.get(name, {}))


@pytest.mark.slow
@every_reproduction
def test_the_short_form_holds_together(name, tmp_path):
    run = quick_run(name)
    check_written_whole(run, tmp_path)
    check_seed_fixes(run, workers=2)


def quick_run(name, **smaller):
    """The short form on one worker, which must not take long."""
    made = registry.load("reproductions", name)
    short = made.quickly(workers=1, **smaller)
    assert made.quickly().spec() != made().spec()
    if not short.runnable():
        pytest.skip("the classic files are not here")
    start = time.process_time()
    run = short.run()
    assert time.process_time() - start < QUICK_SECONDS
    assert run.name == name and run.source == made.source
    assert run.lines and run.barred, "a study without a bar cannot fail"
    assert len({line.what for line in run.lines}) == len(run.lines)
    return run


def one_drawing_of_each_kind(run):
    kinds = {getattr(drawing, "drawn_by", name): name for name, drawing in run.drawings.items()}
    return dataclasses.replace(run, drawings={name: run.drawings[name] for name in kinds.values()})


def check_seed_fixes(run, **given):
    again = registry.load("reproductions", run.name).quickly(**given).run()
    timed = {line.what for line in run.lines if "second" in line.what}
    for one, other in zip(run.lines, again.lines, strict=True):
        assert one.what == other.what
        if one.what not in timed:
            assert one.to_dict() == other.to_dict()


def written(run, folder):
    return deliver(dataclasses.replace(run, job=Reproduce(output=folder)))


def check_written_whole(run, folder):
    paths = written(run, folder)
    assert sorted(folder.iterdir()) == sorted(paths)
    drawn = [f"{run.name}-{name}{end}" for name in run.drawings for end in (".svg", ".png")]
    assert [path.name for path in paths] == [f"{run.name}.csv", f"{run.name}.json", *drawn]
    table = pyarrow.csv.read_csv(paths[0])
    assert table.column_names == ["what", "published", "ours", "bar", "verdict"]
    assert table.num_rows == len(run.lines)
    assert json.loads(paths[1].read_text())["lines"] == [line.to_dict() for line in run.lines]
    for path in paths[2:]:
        if path.suffix == ".svg":
            ET.parse(path)
        else:
            assert path.read_bytes().startswith(b"\x89PNG")


def test_there_are_reproductions():
    assert "clustering" in NAMES


class Toy(Reproduction):
    """A study of nothing."""

    source = "nobody, nowhere"

    def study(self, workers):
        lines = (Line.of("seed", ours=self.seed, published=3, bar="<= published"),)
        return Findings(lines, {"empty": Figure})


class Needy(Toy):
    data = ("german", "housing")


def test_run_wraps_what_the_study_found():
    run = Toy(seed=2, workers=1).run()
    assert run.holds and run.seed == 2 and run.spec["seed"] == 2
    assert run.summary == "1 of 1 bar holds; 0 s."
    assert not Toy(seed=4).run().holds


def test_missing_files_are_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    assert not Needy.runnable()
    with pytest.raises(FileError, match=r"\(german\) .* set the environment variable SFUMATO_DATA"):
        Needy().run()


def reproduced(*lines, seconds=41.4, **drawings):
    return Reproduced(
        name="toy", source="nobody", spec={}, seed=0, lines=lines, drawings=drawings, seconds=seconds
    )


def test_summary_counts_verdicts():
    held = [Line.of(f"a{i}", ours=1, published=2, bar="<= published") for i in range(7)]
    told = [Line.of(f"b{i}", ours=1) for i in range(3)]
    failed = Line.of("c", ours=3, published=2, bar="<= published")
    assert reproduced(*held, failed, *told).summary == "7 of 8 bars hold; 3 lines for information; 41 s."
    assert not reproduced(*held, failed).holds
    assert reproduced(*held, *told[:1]).summary == "7 of 7 bars hold; 1 line for information; 41 s."
    assert reproduced(*told).holds


def test_to_frame_has_a_row_per_line():
    run = reproduced(Line.of("a", ours=1, published=2, bar="< 3"), Line.of("b", ours=math.nan))
    assert run.to_frame().to_pylist() == [
        {"what": "a", "published": 2.0, "ours": 1.0, "bar": "< 3", "verdict": "holds"},
        {"what": "b", "published": None, "ours": None, "bar": "", "verdict": ""},
    ]


def test_unknown_drawings_are_refused():
    with pytest.raises(UnknownNameError, match=r"Unknown drawing of toy 'maps'. Did you mean map\?"):
        reproduced(map=Figure).figure("maps")


def test_nothing_is_written_if_a_drawing_fails(tmp_path):
    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written(reproduced(Line.of("a", ours=1), good=Figure, bad=broken), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "ours", "published", "holds"),
    [
        ("<= published", 2.0, 2.0, True),
        ("< published", 2.0, 2.0, False),
        (">= 38.0", 38.0, None, True),
        ("> 38", 38.0, None, False),
        ("<= published + 5 %", 10.5, 10.0, True),
        ("<= published + 5 %", 10.51, 10.0, False),
        (">= published - 10 %", 9.0, 10.0, True),
        ("within 5 % of published", 9.5, 10.0, True),
        ("within 5 % of published", 10.6, 10.0, False),
        ("within 5 % of -4", -4.1, None, True),
        ("<= published", math.nan, 2.0, False),
        ("within 5 % of 3", math.nan, None, False),
    ],
)
def test_bars(text, ours, published, holds):
    assert Bar.parse(text).holds(ours, published) is holds
    assert Line.of("x", ours=ours, published=published, bar=text).verdict == ("holds" if holds else "fails")


@given(
    comparison=st.sampled_from(sorted(COMPARISONS)),
    limit=st.none() | st.integers(-999_999, 999_999).map(lambda i: i / 100),
    percent=st.integers(-400, 400).map(lambda i: i / 4),
)
def test_a_bar_is_read_as_it_is_printed(comparison, limit, percent):
    bar = Bar(comparison=comparison, limit=limit, percent=percent)
    assert Bar.parse(str(bar)) == bar
    near = Bar(comparison=WITHIN, limit=limit, percent=abs(percent))
    assert Bar.parse(str(near)) == near


@pytest.mark.parametrize("text", ["", "<=", "published", "= 3", "<= twice", "within 5 of 3", "<= 3 + 5"])
def test_other_bars_are_refused(text):
    with pytest.raises(ParameterError, match="A bar reads"):
        Bar.parse(text)


def test_a_bar_without_its_published_value_is_refused():
    with pytest.raises(ParameterError, match="needs a published value"):
        Line.of("x", ours=1, bar="<= published")
    with pytest.raises(ParameterError, match="compares by one of"):
        Bar(comparison="==", limit=3)
