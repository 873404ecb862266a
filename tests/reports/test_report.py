import dataclasses
import re
import sys
from functools import partial
from html.parser import HTMLParser
from subprocess import run
from types import SimpleNamespace

import numpy as np
import pytest

import sfumato
from plots.results import ODD_NAMES, mixed_table, nominal, numeric, protection
from sfumato.core import Key
from sfumato.core.registry import names
from sfumato.data import Schema, Table
from sfumato.data.files import write_table
from sfumato.datasets import household_survey
from sfumato.jobs import Protection
from sfumato.jobs.evaluate import Evaluation
from sfumato.masking import Chain, GlobalRecoding, GroupingAccount, Kwr, Mdav, Pram, generator_for
from sfumato.measures import Score, explanation
from sfumato.measures._explanations import SENTENCES
from sfumato.reports import protection as reports
from sfumato.reports._cautions import cautions
from sfumato.reports.protection import protection as report_of
from sfumato.reports.repetition import repeat_command, repeat_script

protect = partial(sfumato.protect, with_verdict=False)  # which takes long, and is tested by itself

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Collects the text, tags and addresses of a page, and checks that tags are nested well."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.addresses, self.text, self.ids = [], [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [v for k, v in attributes if k in ("src", "href", "xlink:href", "action", "data")]
        self.ids += [v for k, v in attributes if k == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def report_html(made, **fields):
    """The page about a release, whose job has something else in some fields."""
    made = dataclasses.replace(made, job=made.job.with_(**fields))
    return report_of(made, made.job)


@pytest.fixture(scope="module")
def odd():
    return protection(mixed_table(), require=["distance_linkage <= 50"])


@pytest.fixture(scope="module")
def page(odd):
    return report_html(odd, file='the "file".csv', output="A <report> & more.csv")


def test_is_html_with_all_sections(page):
    parsed = Page(page)
    text = " ".join(parsed.text)
    for words in (
        "What was done",
        "Requirements",
        "Warnings",
        "The choice",
        "Before and after",
        "How to repeat it",
    ):
        assert words in text
    assert "Protection report: A <report> & more.csv" in text
    assert 'the "file".csv' in text
    assert parsed.tags.count("svg") == 3


def test_asks_for_nothing_outside(page):
    parsed = Page(page)
    assert all(address.startswith(("#", "data:image/png;base64,")) for address in parsed.addresses)
    assert not {"script", "link", "img", "iframe", "object"} & set(parsed.tags)
    urls = set(re.findall(r"https?://[^\s\"'<>)]+", page))
    assert urls <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_ids_are_unique(page):
    ids = Page(page).ids
    assert len(ids) == len(set(ids))


def test_odd_names_are_escaped(page):
    assert ODD_NAMES[0] not in page
    assert "&lt;b&gt;" in page
    assert "<town>" not in page


def test_holds_no_identifier_values(page):
    assert "SECRET" not in page
    kept = report_html(protection(mixed_table(), keep=["who"]))
    assert "SECRET" not in kept


def test_shows_no_extremes(page, odd):
    text = " ".join(Page(page).text)
    for name in (ODD_NAMES[1], "income"):
        for value in (odd.original[name].min(), odd.original[name].max()):
            assert not any(form in text for form in (f"{value:.2f}", f"{value:,.2f}", repr(float(value))))


@pytest.mark.parametrize(("whole", "sampled"), [(5, 0), (9, 5)])
def test_drawings_of_some_records_say_of_how_many(whole, sampled):
    release = object.__new__(Protection)
    file = SimpleNamespace(blocks=SimpleNamespace(n=whole), fingerprints=("a", "b"), tries=())
    for name, value in {"original": SimpleNamespace(n=5), "whole": file}.items():
        object.__setattr__(release, name, value)
    assert reports._size(release)["sampled"] == sampled


def test_ten_records_at_most_are_listed_that_one_intruder_in_ten_would_find(odd, monkeypatch):
    asked = {}

    def found(original, release, **given):
        asked.update(given)
        return SimpleNamespace(
            records=[SimpleNamespace(individual_risk=risk) for risk in (50.0, 10.0, 9.9, 1.0)]
        )

    monkeypatch.setattr(reports, "riskiest", found)
    assert [one.individual_risk for one in reports._risky(odd)] == [50.0, 10.0]
    assert asked["count"] == 10


def test_the_same_bytes_each_time(page, odd):
    assert report_html(odd, file='the "file".csv', output="A <report> & more.csv") == page


def test_numbers_of_the_summary(page, odd):
    text = " ".join(Page(page).text)
    assert f"{odd.chosen.loss:.1f}" in text
    assert f"{odd.chosen.risk:.1f}" in text
    assert odd.release.fingerprint in text
    assert "mdav k=4 → pram p=0.7 (chosen)" in text


def test_real_protection_of_a_survey():
    made = protect(household_survey(60, seed=2), seed=2, methods=["mdav", "pram"], policy="none")
    parsed = Page(report_html(made))
    assert "person_id" in " ".join(parsed.text)


def test_one_attribute_and_no_gates():
    made = protection(Table(Schema([numeric("x")]), {"x": np.arange(40.0)}))
    text = " ".join(Page(report_html(made)).text)
    assert "None were set" in text
    assert "Correlations of the numeric keys" not in text


def test_foreign_measures_are_explained_by_what_they_say():
    assert explanation("no_such_measure").title == "No such measure"
    assert all(explanation(name).sentence for name in names("measures"))
    assert set(names("measures")) >= {name for name in SENTENCES if name != "probabilistic_linkage"}


def test_loading_jobs_draws_nothing():
    code = (
        "import sys, sfumato.jobs.protect; sys.exit('matplotlib' in sys.modules or 'jinja2' in sys.modules)"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0


def test_python_lines_make_the_same_release(tmp_path, monkeypatch):
    table = household_survey(80, seed=5)
    monkeypatch.chdir(tmp_path)
    write_table(table, "people.csv")
    (tmp_path / "SCHEMA.toml").write_text(table.schema.to_toml(), encoding="utf-8")
    asked = {"masking": "mdav(k=4, attributes=[age]) + pram", "keep": ["person_id"], "seed": 3}
    from_table = protect(table, **asked)
    from_files = protect("people.csv", schema="SCHEMA.toml", output="out.csv", **asked)
    in_words = repeat_script(from_table)
    assert "\n    table,\n" in in_words
    for script in (in_words, repeat_script(from_files)):
        exec(script, {"table": table})
    assert "out.csv" not in repeat_script(from_files)  # it compares, and writes nothing


def test_command_line_is_quoted():
    odd = nominal('a, "b"', [str(i) for i in range(30)], role="identifier")
    table = Table(Schema([odd, numeric("x")]), {odd.name: np.arange(30), "x": np.arange(30.0)})
    made = protection(table, keep=[odd.name], require=["k >= 1"])
    job = made.job.with_(file="deep/my file.csv", output="-out.csv", schema="s.toml")
    command = repeat_command(dataclasses.replace(made, job=job))
    assert command == (
        "sfumato protect 'my file.csv' --require 'k_anonymity.smallest >= 1' --score max --schema s.toml --output=-out.csv "
        '--keep \'"a, ""b"""\' --seed 3'
    )


def test_what_was_no_file_has_a_name_to_fill_in():
    made = protection(household_survey(80, seed=5))
    assert (
        repeat_command(made)
        == "sfumato protect FILE --score max --seed 3 --output OUTPUT --schema SCHEMA.toml"
    )


def quiet(n=60):
    """A table and a masking that give no reason to warn."""
    schema = Schema([nominal("c", "ab"), nominal("d", "xy")])
    codes = np.arange(n) % 2
    table = Table(schema, {"c": codes, "d": codes})
    made = protection(table, [Pram(p=0.8)])
    made = dataclasses.replace(made, job=made.job.with_(seed=None, secret=Key.drawn()))
    return with_scores(made, {"dbil": ("loss", {"c": 10.0, "d": 50.0}), "distance_linkage": ("risk", {})})


def with_scores(made, told, value=20.0):
    scores = {n: Score(measure=n, value=value, parts=parts, seconds=0.0) for n, (_, parts) in told.items()}
    evaluation = Evaluation(scores=scores, senses={name: sense for name, (sense, _) in told.items()})
    return dataclasses.replace(made, evaluation=evaluation)


def test_no_warnings_where_there_is_no_reason():
    assert cautions(quiet()) == []
    assert "None." in report_html(quiet())


def test_warns_of_kept_identifiers_of_seeds_and_of_single_values():
    who = nominal("who", "ab", role="identifier")
    home = numeric("home", role="household")
    schema = Schema([who, home, nominal("c", "ab")])
    table = Table(schema, {"who": np.arange(60) % 2, "home": np.arange(60.0), "c": np.arange(60) % 2})
    kept = protection(table, [Pram()], keep=["who"])
    assert any("Identifiers are released" in text and "who" in text for text in cautions(kept))
    assert any("whoever knows the program can draw the same" in text for text in cautions(kept))
    alone = protection(table, [Pram()], keep=["home"])
    assert any(text.startswith("home is released as it is, and 60 of 60") for text in cautions(alone))
    dropped = protection(table, [Pram()])
    assert not any("Identifiers" in text for text in cautions(dropped))


def test_warns_of_keys_that_no_step_masks():
    made = protection(mixed_table(), [Mdav(k=3, attributes=("constant",))])
    (text,) = [text for text in cautions(made) if text.startswith("No step masks")]
    assert ODD_NAMES[0] in text
    assert "constant" not in text


def test_warns_of_large_losses_and_risks():
    told = {"sse": ("loss", {"c": 50.1}), "interval_disclosure": ("risk", {"c": 20.0, "d": 20.5})}
    found = cautions(with_scores(quiet(), told))
    assert found == [
        "Risk above 20 % by Interval disclosure: d 20 %.",
        "More than 50 % of the information is lost in c (SSE 50 %).",
    ]
    found = cautions(with_scores(quiet(), {"distance_linkage": ("risk", {})}, value=20.1))
    assert found == ["Risk above 20 % by Distance linkage: overall 20 %."]


def test_warns_of_unique_records():
    table = Table(Schema([numeric("x")]), {"x": np.arange(20.0)})
    unchanged = protection(table, [Mdav(k=1)])
    assert any("100.0 % of the released records are still unique" in text for text in cautions(unchanged))
    assert not any("unique" in text for text in cautions(protection(table, [Mdav(k=4)])))


def test_warns_of_vanished_categories_and_names_no_rare_ones():
    codes = np.array([0] * 40 + [1] * 10 + [2] * 2)
    made = protection(Table(Schema([nominal("c", ("big", "small", "RARE"))]), {"c": codes}), [Pram(p=1)])
    assert not any("occur in no" in text for text in cautions(made))
    gone = dataclasses.replace(made, aligned=made.aligned.replace({"c": np.zeros(52, int)}))
    (text,) = [text for text in cautions(gone) if "occur in no" in text]
    assert text == "Categories of c that occur in no released record: small and 1 rare category."


def test_recoded_categories_have_not_vanished():
    codes = np.repeat(np.arange(4), 10)
    size = nominal("size", ("s", "m", "l", "xl"), scale="ordinal")
    made = protection(Table(Schema([size]), {"size": codes}), [Chain((GlobalRecoding(p=2),))])
    assert made.aligned.schema["size"].covers
    assert not any("occur in no" in text for text in cautions(made))


def test_how_groups_were_made_is_shown_where_the_choice_makes_groups():
    firms = sfumato.datasets.business_survey(80, seed=1)
    found = protect(firms, masking=Kwr(k=4), seed=1)
    text = " ".join(Page(report_of(found, found.job)).text)
    account = GroupingAccount.of(Kwr(k=4), firms, generator_for(Kwr(k=4), firms, seed=found.randomness))
    assert "How groups were made" in text
    assert account.work.tree in text and f"{account.groups.sse:.6g}" in text
    other = protect(firms, masking="noise", seed=1)
    assert "How groups were made" not in " ".join(Page(report_of(other, other.job)).text)
