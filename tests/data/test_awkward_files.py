import pytest
from awkward_files import FILES

from sfumato.core import progress
from sfumato.data import CsvOptions, read_arrow

LEAST_RIGHT = 57
WRONG = {"latin-1 Italian", "days with dashes"}  # ì and ù, which a Baltic encoding has other letters for


class Notes:
    def __init__(self):
        self.found = []

    def noted(self, message):
        self.found.append(message)


def read(folder, name, options):
    path = folder / "people.csv"
    path.write_bytes(FILES[name].content())
    notes = Notes()
    with progress.listening(notes):
        return read_arrow(path, options=options).to_pydict(), notes.found


@pytest.mark.parametrize("name", FILES)
def test_with_options_every_file_is_read_right(tmp_path, name):
    assert read(tmp_path, name, FILES[name].options)[0] == FILES[name].meant()


@pytest.mark.parametrize("name", FILES)
def test_without_options_nearly_every_file_is_read_right_and_a_wrong_guess_is_told(tmp_path, name):
    found, notes = read(tmp_path, name, CsvOptions())
    assert len(FILES) == 60 and len(FILES) - len(WRONG) >= LEAST_RIGHT
    assert (found == FILES[name].meant()) == (name not in WRONG)
    assert name not in WRONG or "is a guess" in notes[0]
    assert len(notes) <= 1


def test_a_file_laid_out_as_usual_needs_no_word(tmp_path):
    assert read(tmp_path, "plain", None)[1] == []


def test_how_a_file_is_laid_out_is_told_in_one_line(tmp_path):
    (note,) = read(tmp_path, "points for thousands, latin-1", None)[1]
    assert note.startswith(f"{tmp_path}/people.csv is read with semicolons between cells, encoding cp1252, ")
    assert "commas for decimals, . for thousands" in note
