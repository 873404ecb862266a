"""Scripts of other languages are read by small parsers here, since neither R nor Stata is at hand; Python's is run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import sfumato
from exports.r_parser import Parser
from sfumato.cli import main
from sfumato.core import FileError, registry
from sfumato.data import Attribute, CsvOptions, Schema, Table
from sfumato.exports import Script, Step, exported
from sfumato.exports._script import coded_ends
from sfumato.exports._sdcmicro_steps import object_of
from sfumato.masking import ByHand, Intervals, Recoding

# the names of arguments in the documentation of sdcMicro 5.7.8, base R, arrow and haven
KNOWN = {
    "library": set(),
    "list": set(),
    "read.csv": {"sep", "header", "na.strings", "check.names", "stringsAsFactors", "fileEncoding"},
    "write.csv": {"row.names", "na"},
    "factor": {"levels", "ordered"},
    "c": set(),
    "cut": {"breaks", "labels", "right"},
    "print": {"type"},
    "groupAndRename": {"obj", "var", "before", "after", "addNA"},
    "globalRecode": {"obj", "column", "breaks", "labels", "method"},
    "topBotCoding": {"obj", "value", "replacement", "kind", "column"},
    "createSdcObj": {
        *("dat", "keyVars", "numVars", "pramVars", "ghostVars", "weightVar", "hhId", "strataVar"),
        *("sensibleVar", "excludeVars", "options", "seed", "randomizeRecords", "alpha"),
    },
    "localSuppression": {"obj", "k", "importance", "combs"},
    "pram": {"obj", "variables", "strata_variables", "pd", "alpha"},
    "microaggregation": {
        *("obj", "variables", "aggr", "strata_variables", "method", "weights", "nc", "clustermethod"),
        *("measure", "trim", "varsort", "transf"),
    },
    "addNoise": {"obj", "variables", "noise", "method"},
    "rankSwap": {"obj", "variables", "TopPercent", "BottomPercent", "K0", "R0", "P", "missing", "seed"},
    "shuffle": {"obj", "form", "method", "weights", "covmethod", "regmethod", "gadp"},
    "recordSwap": {
        *("data", "hid", "hierarchy", "similar", "swaprate", "risk", "risk_threshold", "k_anonymity"),
        *("risk_variables", "carry_along", "return_swapped_id", "log_file_name", "seed"),
    },
    "extractManipData": {"obj"},
}
PLAIN = {
    "which",
    "is.na",
    "as.numeric",
    "as.character",
    "as.data.frame",
    "round",
    "floor",
    "runif",
    "nrow",
    "pmin",
    "pmax",
}
READERS = {
    "arrow::read_parquet",
    "haven::read_sav",
    "haven::read_dta",
    "haven::zap_labels",
    "haven::read_sas",
    "haven::read_xpt",
}
COMMANDS = {
    *("version", "clear", "import", "use", "destring", "replace", "recode", "label", "tempvar", "generate"),
    *("drop", "notes", "export", "*"),
}


def people(n=60, *, decimals=0):
    """Columns and categories with all that may go wrong in another language."""
    rng = np.random.default_rng(0)
    attributes = [
        Attribute(
            name="age", scale="numeric", role="key", decimals=decimals, low=0, high=100, missing=("-9",)
        ),
        Attribute(name="net income", scale="numeric", role="confidential", decimals=2),
        Attribute(name="wealth", scale="numeric", role="key"),
        Attribute(
            name='to"wn',
            scale="nominal",
            role="key",
            categories=('a"b', "c\\d", "$e`f", "ü, 'g'"),
            missing=("?",),
        ),
        Attribute(name="grade", scale="ordinal", role="key", categories=tuple(map(str, range(1, 15)))),
        Attribute(name="household", scale="numeric", role="household", decimals=0),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
    columns = {
        "age": rng.integers(0, 100, n).astype(float),
        "net income": np.round(rng.lognormal(7, 1, n), 2),
        "wealth": rng.normal(0, 1, n),
        'to"wn': np.repeat(rng.integers(0, 4, n), 2)[:n],  # the same for a household
        "grade": rng.integers(0, 14, n),
        "household": np.arange(n) // 2,
        "weight": rng.uniform(1, 9, n),
    }
    return Table(Schema(attributes), columns)


def script_of(*steps, table=None, fixed=(), file="people.csv", **facts):
    table = original = people() if table is None else table
    hand, done = ByHand(first=steps, fixed=fixed), []
    for step in hand.first:
        after = step.apply(table, np.random.default_rng(1))
        done.append(Step(step, table, after))
        table = after
    given = {"text": CsvOptions(), "arguments": {}, **facts}
    return Script(file=file, by_hand=hand, steps=tuple(done), original=original, **given)


def in_r(*steps, **facts):
    text = exported(Path("x.R"), script_of(*steps, **facts))
    calls = Parser(text).calls
    for name, _, named in calls:
        assert name in KNOWN or name in PLAIN | READERS, name
        assert set(named) <= KNOWN.get(name, set()), (name, named)
    return text, [name for name, _, _ in calls]


def in_stata(*steps, **facts):
    text = exported(Path("x.do"), script_of(*steps, **facts))
    for line in filter(None, text.splitlines()):
        assert line.split()[0] in COMMANDS, line
        if not line.startswith(("*", "notes")):
            bare = re.sub(r"`\"[^\"]*(\"[^\"']*)*\"'", "", line)  # compound quotes
            assert bare.replace('\\"', "").count('"') % 2 == 0, line
    return text


STEPS = (
    """recoding(to={"x ""y" = ["a""b", "c\\d"]}, attributes=['to"wn'])""",
    "global_recoding(p=3, attributes=[grade])",
    "intervals(cuts=[18, 30, 65], attributes=[age])",
    "intervals(cuts=[0.5], closed=right, value=mean, attributes=[wealth])",
    'top_bottom_coding(top=3000, bottom=10, attributes=["net income"])',
    "top_bottom_coding(percent=5, side=top, attributes=[wealth, grade])",
    "rounding(base=5, attributes=[age])",
    "rounding(kind=random, attributes=[wealth])",
    """suppression(where="age > 60 and grade >= 12 and 'to""wn' not in ('$e`f')", attributes=['to"wn', age])""",
    'suppression(where="wealth is not missing and age in (3, 4) and grade != 2", attributes=[grade])',
    "removal(attributes=[wealth])",
    "local_suppression(k=3, importance=[1, 5], attributes=['to\"wn', grade])",
    "local_suppression(k=1, combinations=1, never=[grade], attributes=[grade, 'to\"wn'], ghosts=[grade=wealth])",
    "pram(p=0.7, attributes=[grade])",
    "mdav(k=3, attributes=[age, wealth])",
    "individual_ranking(k=3, attributes=[age])",
    "single_axis(k=3, attributes=[age, wealth])",
    "noise(kind=uncorrelated, attributes=[wealth])",
    "noise(kind=multiplicative, attributes=[wealth])",
    "rank_swapping(p=5, attributes=[age, wealth])",
    "rank_swapping(p=5, attributes=[grade])",
    "shuffling(attributes=[age, wealth], given=[grade])",
    "shuffling(attributes=[age])",
    "record_swapping(p=20, attributes=['to\"wn'], similar=[grade])",
    "mondrian(k=3)",
)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_a_script_that_r_and_stata_can_read(step):
    text, calls = in_r(step)
    assert "do this step with sfumato" in text or len(calls) > 8
    in_stata(step)


def test_calls_of_sdcmicro_are_made_where_there_are_some():
    expected = {
        "recoding": "groupAndRename",
        "global_recoding": "groupAndRename",
        "intervals": "globalRecode",
        "top_bottom_coding": "topBotCoding",
        "local_suppression": "localSuppression",
        "pram": "pram",
        "mdav": "microaggregation",
        "noise": "addNoise",
        "rank_swapping": "rankSwap",
        "shuffling": "shuffle",
        "record_swapping": "recordSwap",
    }
    found = {}
    for step in STEPS:
        found.setdefault(step.partition("(")[0], in_r(step)[1])
    assert all(call in found[name] for name, call in expected.items())


@pytest.mark.parametrize("name", registry.names("masking"))
def test_a_masking_without_counterpart_is_named(name):
    if name in ("suppression", "recoding", "intervals", "sampling"):
        return  # which need to be told something
    masking = registry.load("masking", name)()
    table = people()
    script = script_of()
    step = Step(masking, table, table)
    for suffix, remark in ((".R", "#"), (".do", "*")):
        text = exported(
            Path(f"x{suffix}"),
            Script(
                **{f: getattr(script, f) for f in ("file", "text", "arguments", "by_hand", "original")},
                steps=(step,),
            ),
        )
        assert f"{remark} step 1: {masking.plain()}" in text
        if suffix == ".R":
            Parser(text)


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ("percent=5, side=top", ["top"]),
        ("percent=20, side=bottom, replace=mean", ["bottom"]),
        ("percent=10", ["top", "bottom"]),
        ("top=1.5, bottom=-0.5", ["top", "bottom"]),
        ("top=1.5", ["top"]),
        ("bottom=9", ["bottom"]),
    ],
)
def test_coded_ends_are_those_of_the_file_or_those_given(given, kinds):
    [step] = script_of(f"top_bottom_coding({given}, attributes=[wealth])").steps
    before, after = step.before["wealth"], step.after["wealth"]
    ends = list(coded_ends(step, "wealth"))
    assert [end.kind for end in ends] == kinds
    ours = before.copy()
    for kind, limit, value in ends:
        ours[before > limit if kind == "top" else before < limit] = value
    assert (ours == after).all() and (before != after).any()


def test_intervals_of_whole_numbers_are_moved_by_one_for_r():
    text, _ = in_r("intervals(cuts=[18, 30], attributes=[age])")
    assert (
        'globalRecode(d, column = "age", breaks = c(-Inf, 17, 29, Inf), labels = c("8", "24", "65"))' in text
    )
    text, _ = in_r("intervals(cuts=[0.5], attributes=[wealth])")
    assert "right = FALSE" in text and "globalRecode" not in text


def test_a_column_that_is_gone_is_no_key_of_what_follows():
    text, _ = in_r("removal(attributes=[wealth])", "mdav(k=3, attributes=[age])")
    assert '"wealth"' not in text.partition("NULL")[2]


def test_the_risk_is_asked_of_the_keys_that_are_left():
    some, calls = in_r("removal(attributes=[wealth])")
    assert "what the keys give away" in some and calls.count("print") == 2
    keys = people().schema.with_role("key")
    assert len(keys) > 1
    none, calls = in_r(*(f"removal(attributes=['{name}'])" for name in keys))
    assert "what the keys give away" not in none and "print" not in calls


def test_conditions_are_those_of_r():
    text, _ = in_r(
        'suppression(where="wealth is not missing and age > 60 and grade != 2", attributes=[grade])'
    )
    assert '!is.na(d[["wealth"]]) & d[["age"]] > 60 & d[["grade"]] %in% c("1", "3", ' in text
    text, _ = in_r('suppression(where="wealth is missing and age in (3, 4)", attributes=[grade])')
    assert 'is.na(d[["wealth"]]) & d[["age"]] %in% c(3, 4)' in text and "!is.na" not in text


def test_each_column_is_one_kind_of_key_of_the_object():
    ages = Attribute(name="age", scale="numeric", role="key")
    kinds = Attribute(name="kind", scale="nominal", role="key", categories=("a", "b"))
    pay = Attribute(name="pay", scale="numeric", role="other")
    several = object_of(Schema([ages, kinds, pay]), ["pay"])
    assert several == 'sdc <- createSdcObj(dat = d, keyVars = c("kind"), numVars = c("age", "pay"))'
    numbers = object_of(Schema([ages, pay]), ["pay", "age"])  # one has to be categorical
    assert numbers == 'sdc <- createSdcObj(dat = d, keyVars = c("age"), numVars = c("pay"))'


def test_files_are_read_by_what_they_are():
    for file, reader in (
        ("a.parquet", "arrow::read_parquet"),
        ("a.sav", "haven::read_sav"),
        ("a.dta", "haven::read_dta"),
    ):
        assert reader in in_r(file=file)[1]
    text, _ = in_r(file="a.txt", text=CsvOptions(delimiter=";", encoding="latin-1", header=False))
    assert 'sep = ";", header = FALSE' in text and 'fileEncoding = "latin-1"' in text
    assert 'use "a.dta"' in in_stata(file="a.dta")
    assert "save the file as .dta or .csv first" in in_stata(file="a.parquet")
    assert 'delimiters("tab")' in in_stata(file="a.tsv")


def test_numbers_that_stand_for_categories_are_recoded_with_labels_in_stata():
    codes = Attribute(
        name="state", scale="nominal", role="key", categories=("1", "2", "3"), storage="integer"
    )
    table = Table(Schema([codes]), {"state": [0, 1, 2]})
    text = in_stata("recoding(to={alone = [2, 3]}, attributes=[state])", table=table, file="a.dta")
    assert "recode state (2 3 = 4)" in text
    assert 'label define state_by_hand 4 "alone", modify' in text
    text = in_stata('suppression(where="state in (1, 3)", attributes=[state])', table=table, file="a.dta")
    assert "generate byte `chosen' = (state == 1 | state == 3)" in text


def test_long_lists_are_cut_for_stata_and_macros_stay_texts():
    text = in_stata('suppression(where="grade >= 3", attributes=[grade])')
    assert text.count("inlist(grade") == 2
    text = in_stata("""recoding(to={new = [$e`f]}, attributes=['to"wn'])""")
    assert 'inlist(to_wn, "\\$e\\`f")' in text


def test_fixed_columns_and_samples_are_told():
    assert "# nothing may change: age, grade" in in_r(fixed=("age", "grade"))[0]
    assert "notes grade: nothing may change this column" in in_stata(fixed=("age", "grade"))
    assert "random sample" in in_r(whole=False)[0]


def test_an_unknown_language_is_refused():
    with pytest.raises(FileError, match=r"unknown suffix '\.sas'\. Known: \.py, \.r, \.do"):
        exported(Path("x.sas"), script_of())


STUDY = """command = "protect"
file = "survey.csv"
schema = "survey.toml"
key = ["sex", "marital"]
first = [
    "recoding(to={alone = [divorced, widowed, separated]}, attributes=[marital])",
    "intervals(cuts=[18, 30, 65], attributes=[age])",
    "removal(attributes=[region])",
]
fixed = ["sex"]
methods = ["pram"]
verdict = false
seed = 3
workers = 1
output = "out.csv"
"""


def test_the_script_of_python_gives_the_file_that_the_study_gives(tmp_path, monkeypatch):
    survey = sfumato.datasets.household_survey(150, seed=1)
    sfumato.write_table(survey, tmp_path / "survey.csv")
    (tmp_path / "survey.toml").write_text(survey.schema.to_toml())
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["run", "study.toml"])
    assert done.exit_code == 0, done.output
    by_study = {path.name: path.read_bytes() for path in tmp_path.glob("out*") if path.is_file()}
    done = CliRunner().invoke(main, ["steps", "study.toml", "--export", "again.py"])
    assert done.exit_code == 0, done.output
    for path in tmp_path.glob("out*"):
        if path.is_file():
            path.unlink()
    subprocess.run([sys.executable, "again.py"], check=True, cwd=tmp_path, capture_output=True)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("out*") if path.is_file()} == by_study
    assert {"out.csv", "out.schema.toml", "out.about.html"} == set(by_study)


def test_days_by_the_calendar_have_no_counterpart():
    born = Attribute(name="born", scale="numeric", role="key", storage="date", decimals=0)
    seen = Attribute(
        name="seen", scale="ordinal", role="key", storage="date", categories=("1999-12-31", "2000-01-01")
    )
    table = Table(Schema([born, seen]), {"born": [1.0, 40.0], "seen": [0, 1]})
    numbers = Intervals(calendar="month", attributes=("born",))
    script = script_of(numbers, Recoding(calendar="year", attributes=("seen",)), table=table)
    for language, comment in (
        ("R", "# sdcMicro has no counterpart of intervals"),
        ("do", "* Stata has no command for intervals"),
    ):
        text = exported(Path(f"steps.{language}"), script)
        assert comment in text and "1999" in text and "2000" in text


def test_what_sdcmicro_cannot_do_in_a_suppression_is_named_and_nothing_else():
    wanted = "local_suppression(k=1, combinations=1, attributes=[grade, age]{})"
    plain, steered = (in_r(wanted.format(more))[0] for more in ("", ", never=[grade]"))
    assert "has no counterpart" not in plain
    assert "# sdcMicro has no counterpart of never: compare the outcome with sfumato's" in steered
