import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, FileError
from sfumato.data.study_file import HEAD, Study
from sfumato.version import __version__

texts = st.text(st.characters(codec="utf-8"), max_size=8)
values = texts | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
keys = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True).filter(lambda key: key not in HEAD)
studies = st.builds(
    Study,
    command=st.sampled_from(["protect", "graph protect"]),
    settings=st.dictionaries(keys, values | st.lists(values, max_size=3), max_size=5),
)


@given(studies)
def test_text_and_back(study):
    back = Study.from_toml(study.to_toml())
    assert back == study
    assert {key: type(value) for key, value in back.settings.items()} == {
        key: type(value) for key, value in study.settings.items()
    }


def test_files_and_back(tmp_path):
    study = Study(command="mask", settings={"file": "in.csv", "topics": ["a", "b"]})
    study.write(tmp_path / "s.toml")
    assert Study.read(tmp_path / "s.toml") == study
    assert study.sfumato == __version__
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_study_cannot_be_changed():
    given_list = ["age"]
    study = Study(command="mask", settings={"key": given_list})
    given_list.append("sex")
    assert study.settings == {"key": ("age",)}
    with pytest.raises(TypeError):
        study.settings["key"] = "sex"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("command = ", "s.toml: not valid TOML"),
        ("seed = 1", 's.toml: command is missing; say which, such as command = "protect".'),
        ("command = 5", "s.toml: command must be a text. Got 5."),
        ('command = ""', "s.toml: command must be a text. Got an empty text."),
        ('sfumato = 1.0\ncommand = "mask"', "s.toml: sfumato must be a text. Got 1.0."),
        ('command = "mask"\n[method]\nk = 5', "s.toml: method must be .* a list of those. Got a table."),
        ('command = "mask"\nseed = 2026-01-01', "s.toml: seed must be .* Got a date."),
        ('command = "mask"\nkey = [["age"]]', "s.toml: key must be .* Got a list."),
    ],
)
def test_mistakes_name_the_file_and_the_key(tmp_path, text, says):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises((DataError, FileError), match=says):
        Study.read(tmp_path / "s.toml")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_what_cannot_be_read(tmp_path, content):
    if content:
        (tmp_path / "s.toml").write_bytes(content)
    with pytest.raises(FileError, match=r"^Study .*s\.toml (does not exist|cannot be read as UTF-8 text)\.$"):
        Study.read(tmp_path / "s.toml")
