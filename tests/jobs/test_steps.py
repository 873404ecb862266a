"""Steps by hand: what a steward settles, and what the search makes of the rest."""

import json
import tomllib

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import sfumato
from sfumato.cli import main
from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.data import Schema, write_table
from sfumato.jobs.steps import Steps
from sfumato.masking import ByHand, Chain

RECODE = "recoding(to={alone = [divorced, widowed, separated]}, attributes=[marital])"
CUT = "intervals(cuts=[18, 30, 45, 65], attributes=[age])"
DROP = "removal(attributes=[region])"


@pytest.fixture(scope="module")
def survey():
    return sfumato.datasets.household_survey(200, seed=1)


@pytest.fixture
def here(survey, tmp_path, monkeypatch):
    """A folder with a survey in it, and nothing else."""
    write_table(survey, tmp_path / "survey.csv")
    (tmp_path / "survey.toml").write_text(survey.schema.to_toml())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words, status=0):
    done = CliRunner().invoke(main, [*words])
    assert done.exit_code == status, done.output
    return done


def study(path):
    return tomllib.loads(path.read_text())


# ------------------------------------------------------------------------------------------------ in Python


def test_every_step_is_seen_and_none_changes_what_was_before(survey):
    work = sfumato.steps(survey)
    cut = work.then(CUT)
    both = cut.then(DROP)
    assert [len(one.states) for one in (work, cut, both)] == [1, 2, 3]
    assert both.states[:2] == cut.states and both.undo().states == cut.states
    assert work.risk().loss == 0 and both.risk().alone < cut.risk().alone < work.risk().alone
    assert both.undo().redo().table.fingerprint == both.table.fingerprint
    assert both.table.missing("region").all() and work.table.fingerprint == survey.fingerprint
    assert both.settings == {"first": [step.plain() for step in both.by_hand.first]}
    assert both.masking == ByHand(first=[CUT, DROP]).masking


def test_a_step_before_a_known_one_makes_it_anew(survey):
    work = sfumato.steps(survey, first=[RECODE, CUT])
    other = work.undo().undo().then(CUT, RECODE)
    assert other.states[2].table is not work.states[2].table
    assert other.table.fingerprint == work.table.fingerprint  # they touch different columns


def test_work_is_shown_as_text_as_a_page_and_as_a_frame(survey):
    work = sfumato.steps(survey, first=RECODE, fixed=["sex"])
    assert RECODE in str(work) and "as collected" in work._repr_html_()
    assert work.to_frame()["step"].to_pylist() == [None, RECODE]
    assert {"alone", "below_3", "below_5", "smallest", "standing_out", "found", "loss"} <= set(
        work.to_frame().column_names
    )
    assert json.loads(json.dumps(work.to_dict()))["fixed"] == ["sex"]


def test_steps_that_draw_differ_though_they_are_the_same(survey):
    work = sfumato.steps(survey, first=["pram(attributes=[sex])", "pram(attributes=[sex])"])
    changed = [(a.table["sex"] != b.table["sex"]) for a, b in zip(work.states, work.states[1:], strict=False)]
    assert not np.array_equal(*changed)
    assert sfumato.steps(survey, first=work.settings["first"]).table.fingerprint == work.table.fingerprint


def test_a_step_that_cannot_be_is_refused_by_its_number(survey):
    with pytest.raises(DataError, match=r"^Step 2: recoding: Unknown category of marital 'divorced'"):
        sfumato.steps(survey, first=[RECODE, "recoding(to={x = [divorced]}, attributes=[marital])"])
    with pytest.raises(ParameterError, match="which is fixed"):
        sfumato.steps(survey, fixed=["marital"]).then(RECODE)
    with pytest.raises(DataError, match="No attribute has the role key"):
        sfumato.steps(
            survey.with_schema(
                survey.schema.with_roles(dict.fromkeys(survey.schema.with_role("key"), "other"))
            )
        )


def test_records_may_go_in_a_step(survey):
    work = sfumato.steps(survey, first=["sampling(fraction=0.5)", CUT])
    assert work.table.n < survey.n and work.risk().alone > 0


# --------------------------------------------------------------------------------------- steps, then a search


def protected(survey, **options):
    given = {"methods": ["mdav", "pram"], "with_verdict": False, "score": "max", "seed": 3, **options}
    return sfumato.protect(survey, **given)


def test_steps_come_first_and_the_search_does_the_rest(survey):
    found = protected(survey, first=[RECODE, CUT, DROP], fixed=["sex"])
    first = ByHand(first=[RECODE, CUT, DROP]).first
    for candidate in found.candidates:
        assert candidate.masking.sequence[:3] == first
        touched = {name for step in candidate.masking.sequence[3:] for name in step.attributes}
        assert touched.isdisjoint({"sex", "region"})
    assert found.candidates[-1].masking == Chain(first)  # the steps alone are one of them
    assert "region" not in found.aligned and "region" in found.original
    assert np.array_equal(found.aligned["sex"], survey["sex"])
    assert {t.name: t.kind for t in found.treated.columns}["region"] == "left out"
    assert found.to_dict()["job"]["first"] == [step.plain() for step in first]
    again = protected(survey, **{key: found.to_dict()["job"][key] for key in ("first", "fixed")})
    assert again.release.fingerprint == found.release.fingerprint


def test_a_fixed_column_may_be_left_out_but_must_be_there(survey):
    found = protected(survey, methods=["pram"], fixed=["person_id"])
    assert "person_id" not in found.aligned
    with pytest.raises(UnknownNameError, match="nobody"):
        protected(survey, methods=["pram"], fixed=["nobody"])


def test_candidates_are_judged_beside_the_file_as_it_was_collected(survey):
    found = protected(survey, first=[DROP], methods=["pram"])
    alone = protected(survey, methods=[], masking=DROP)
    assert found.candidates[-1].loss == alone.chosen.loss > 0


def test_steps_that_name_no_column_take_the_keys_of_the_file(survey):
    found = protected(survey, first=["rounding(base=10)"])
    assert found.chosen.masking.sequence[0].attributes == ("age",)


def test_a_masking_that_is_given_comes_after_the_steps(survey):
    found = protected(survey, methods=[], first=[RECODE], masking="pram(attributes=[sex])")
    assert [step.name for step in found.chosen.masking.sequence] == ["recoding", "pram"]
    with pytest.raises(DataError, match="Column sex is fixed, and pram takes it"):
        protected(survey, methods=[], fixed=["sex"], masking="pram")


def test_nobody_new_is_made_where_columns_are_fixed(survey):
    options = {"methods": ["tree_synthesis", "pram"], "keys": ["sex", "marital"]}
    free = protected(survey, **options)
    fixed = protected(survey, fixed=["sex"], **options)
    assert any(not c.masking.of_people for c in free.candidates)
    assert all(c.masking.of_people for c in fixed.candidates)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"evolve": "2g", "first": [CUT]}, "evolving changes every key"),
        ({"epsilon": 1.0, "methods": (), "fixed": ["sex"]}, "leave out first and fixed"),
        ({"fixed": ["marital"], "first": [RECODE]}, "which is fixed"),
    ],
)
def test_what_does_not_go_together_is_refused(survey, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        protected(survey, **options)


def test_grouped_columns_are_those_that_are_free():
    firms = sfumato.datasets.business_survey(60, seed=1)
    keys = firms.schema.with_role("key")
    found = protected(
        firms, methods=["mdav"], grouped=[3], first=[f"rounding(attributes=[{keys[1]}])"], fixed=[keys[0]]
    )
    for candidate in found.candidates:
        assert all(keys[0] not in step.attributes for step in candidate.masking.sequence)


def test_a_column_is_taken_out_by_a_mask_too(survey):
    masked = sfumato.mask(survey, f"{RECODE} + {DROP}", seed=1)
    assert masked.missing("region").all()  # all columns come back to who calls from Python


def test_nothing_that_goes_out_tells_of_a_column_that_was_taken_out(here, survey):
    run("mask", "survey.csv", "--schema", "survey.toml", "--method", f"{RECODE} + {DROP}", "-o", "out.csv")
    for path in here.glob("out.*"):
        if path.is_file():
            text = path.read_text()
            assert "region" not in text, path
            assert not any(category in text for category in survey.schema["region"].categories), path
    assert {path.name for path in here.glob("out.*")} == {
        "out.csv",
        "out.schema.toml",
        "out.about.html",
        "out.private",
    }


def test_steps_come_first_from_disk_too(survey, tmp_path):
    pq.write_table(survey.to_arrow(), tmp_path / "survey.parquet")
    (tmp_path / "survey.toml").write_text(survey.schema.to_toml())
    found = sfumato.protect(
        tmp_path / "survey.parquet",
        schema=tmp_path / "survey.toml",
        output=tmp_path / "out.parquet",
        first=[RECODE, CUT, DROP],
        fixed=["sex"],
        methods=["pram"],
        with_verdict=False,
        memory="1KB",
        seed=1,
    )
    released = pq.read_table(tmp_path / "out.parquet")
    assert "region" not in released.column_names and found.whole is not None
    assert [step.name for step in found.chosen.masking.sequence[:3]] == ["recoding", "intervals", "removal"]
    assert set(released["age"].to_pylist()) <= {8, 24, 37, 54, 88, None}
    counts = np.unique(survey.to_arrow()["sex"].to_pylist(), return_counts=True)
    assert np.array_equal(np.unique(released["sex"].to_pylist(), return_counts=True)[1], counts[1])


# ------------------------------------------------------------------------------------------ on the command line


def test_a_steward_works_step_by_step_in_a_terminal(here):
    run(
        "steps",
        "survey.csv",
        "--schema",
        "survey.toml",
        "--key",
        "age,sex,marital,region",
        "--into",
        "work.toml",
    )
    work = here / "work.toml"
    assert study(work)["command"] == "protect" and "first" not in study(work)
    shown = run("steps", "work.toml", "--add", f"{RECODE} + {CUT}", "--fix", "sex").stdout
    assert "Nothing may change: sex." in shown and "sfumato run work.toml -o OUT" in shown
    assert study(work)["first"] == [ByHand(first=[one]).first[0].plain() for one in (RECODE, CUT)]
    run("steps", "work.toml", "--add", DROP)
    shown = run("steps", "work.toml", "--undo").stdout
    assert f"done again with --redo: {DROP}" in shown
    assert study(work)["undone"] == [DROP] and len(study(work)["first"]) == 2
    run("steps", "work.toml", "--redo", "--free", "sex")
    assert "undone" not in study(work) and "fixed" not in study(work) and len(study(work)["first"]) == 3
    before = work.read_bytes()
    found = json.loads(run("steps", "work.toml", "--json").stdout)
    assert len(found["states"]) == 4 and work.read_bytes() == before


def test_what_else_a_study_says_stays(here):
    text = 'sfumato = "0.1.0"\ncommand = "protect"\nfile = "survey.csv"\nschema = "survey.toml"\nrequire = ["k >= 3"]\nworkers = 2\n'
    (here / "inner").mkdir()
    path = here / "inner" / "work.toml"
    path.write_text(text.replace("survey.", "../survey."))
    run("steps", "inner/work.toml", "--add", CUT)
    found = study(path)
    assert (found["require"], found["workers"], found["file"]) == (["k >= 3"], 2, "../survey.csv")
    assert len(found["first"]) == 1


def test_the_search_finishes_what_the_study_says(here):
    run(
        "steps",
        "survey.csv",
        "--schema",
        "survey.toml",
        "--add",
        f"{CUT} + {DROP}",
        "--fix",
        "sex",
        "--into",
        "work.toml",
    )
    with (here / "work.toml").open("a") as file:
        file.write('methods = ["pram"]\nscore = "max"\nverdict = false\nseed = 1\nworkers = 1\n')
    run("run", "work.toml", "-o", "out.csv")
    schema = Schema.read(here / "out.private" / "schema.toml")
    assert "region" not in schema
    kept = study(here / "out.private" / "study.toml")
    assert kept["first"] == study(here / "work.toml")["first"] and kept["fixed"] == ["sex"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["work.toml", "--undo"], "There is no step to undo."),
        (["work.toml", "--redo"], "There is no step to do again."),
        (["work.toml", "--redo", "--add", CUT], "redo goes with neither undo nor add"),
        (["work.toml", "--fixed", "sex"], "use add, undo, redo, fix and free in place of fixed"),
        (["work.toml", "--add", "recoding"], "to must say what categories become"),
        (
            ["work.toml", "--add", "intervals(cuts=[3], attributes=[aeg])"],
            "Step 1: Unknown column 'aeg'. Did you mean age?",
        ),
        (["work.toml", "--fix", "nobody"], "Unknown column 'nobody'."),
        (["survey.csv", "--into", "work.toml"], "work.toml exists already: go on with it"),
        (["work.toml", "--export", "x.sas"], "unknown suffix '.sas'. Known: .py, .r, .do"),
        (["mask.toml"], "steps belong to a study of protect. Got one of mask."),
        (["gone.toml"], "gone.toml"),
        (["broken.toml"], "broken.toml: file is missing."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_and_nothing_is_written(here, words, sentence):
    run("steps", "survey.csv", "--schema", "survey.toml", "--into", "work.toml")
    (here / "mask.toml").write_text(
        'command = "mask"\nfile = "survey.csv"\noutput = "x.csv"\nmethod = "mdav"\n'
    )
    (here / "broken.toml").write_text('command = "protect"\n')
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    done = run("steps", *words, status=2)
    assert sentence in done.stderr and done.stderr.count("\n") == done.stderr.count("Note:") + 1
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_scripts_are_written_beside_the_study(here):
    run("steps", "survey.csv", "--schema", "survey.toml", "--add", f"{RECODE} + {CUT}", "--into", "work.toml")
    for name, word in (("work.R", "groupAndRename"), ("work.do", "inlist"), ("work.py", "Recoding(")):
        assert f"Wrote {name}." in run("steps", "work.toml", "--export", name).stdout
        assert word in (here / name).read_text()


def test_work_is_exported_and_kept_from_python(here):
    work = sfumato.steps("survey.csv", schema="survey.toml").then(RECODE)
    work.export("x.R")
    assert "groupAndRename" in (here / "x.R").read_text()
    work.save("work.toml")
    again = sfumato.steps("work.toml")
    assert again.by_hand == work.by_hand and again.table.fingerprint == work.table.fingerprint
    again.then(CUT).save("work.toml")
    assert len(study(here / "work.toml")["first"]) == 2


def test_a_table_is_exported_too(survey, tmp_path):
    sfumato.steps(survey, first=[RECODE]).export(tmp_path / "x.py")
    assert "Recoding(" in (tmp_path / "x.py").read_text()


def test_a_job_of_steps_is_made_again_from_its_settings():
    job = Steps(file="a.csv", add=[CUT], by_hand=ByHand(first=[RECODE], fixed=["sex"], undone=[DROP]))
    assert Steps.from_settings(job.settings()) == job


def test_large_files_are_worked_on_by_a_sample(monkeypatch, survey):
    monkeypatch.setattr("sfumato.jobs.steps.LOOKED_AT", 120)
    work = sfumato.steps(survey, first=[CUT])
    assert (work.records, work.original.n) == (200, 120)
