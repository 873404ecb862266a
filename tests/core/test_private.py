"""Nobody else on the machine reads what is private: modes, and where it can be had, another user who tries."""

import os
import stat
import subprocess
import sys
from contextlib import contextmanager

import pytest

from sfumato.core import FileError
from sfumato.core.private import private_file, private_folder
from sfumato.core.progress import listening

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no modes")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user"
)
NOBODY = 65534


class Notes:
    """Listens, and keeps the notes."""

    def __init__(self):
        self.notes = []

    def noted(self, message):
        self.notes.append(message)


@contextmanager
def umask(mask):
    earlier = os.umask(mask)
    try:
        yield
    finally:
        os.umask(earlier)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_whatever_the_umask_new_ones_are_closed(tmp_path, mask):
    with umask(mask):
        folder = private_folder(tmp_path / "a" / "b")
        file = private_file(folder / "c")
    assert [mode(tmp_path / "a"), mode(folder), mode(file)] == [0o700, 0o700, 0o600]


def test_what_others_could_read_is_closed_and_said(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "file").write_text("kept")
    (folder / "file").chmod(0o644)
    heard = Notes()
    with listening(heard):
        assert private_folder(folder) == folder
        private_folder(folder)
        private_file(folder / "file")
    assert [mode(folder), mode(folder / "file")] == [0o700, 0o600]
    assert (folder / "file").read_text() == "kept"
    assert heard.notes == [
        f"others could look into {folder}, and now they cannot: private files are kept there."
    ]


def test_a_folder_for_all_users_is_refused_and_left_as_it_is(tmp_path):
    tmp_path.chmod(0o1777)
    with pytest.raises(FileError, match=r"is there for all users; name a folder within it\.$"):
        private_folder(tmp_path)
    assert mode(tmp_path) == 0o1777


def test_files_where_folders_should_be(tmp_path):
    (tmp_path / "file").write_text("")
    for path, why in [
        ("file", "is a file: give the name of a folder"),
        ("file/x", "cannot be made: not a directory"),
    ]:
        with pytest.raises(FileError) as refused:
            private_folder(tmp_path / path)
        assert str(refused.value) == f"Folder {tmp_path / path} {why}."


def test_a_link_of_our_own_is_followed_and_what_it_leads_to_is_closed(tmp_path):
    (tmp_path / "large disk").mkdir(mode=0o755)
    (tmp_path / "work").symlink_to(tmp_path / "large disk")
    private_folder(tmp_path / "work")
    assert mode(tmp_path / "large disk") == 0o700
    (tmp_path / "target").write_text("kept")
    (tmp_path / "file").symlink_to(tmp_path / "target")
    with pytest.raises(FileError, match=r"cannot be made: it is a link\.$"):
        private_file(tmp_path / "file")


@as_root
@pytest.mark.parametrize("path", ["trap", "trap/inner/folder"])
def test_links_of_another_user_are_refused(tmp_path, path):
    (tmp_path / "ours").mkdir(mode=0o755)
    (tmp_path / "trap").symlink_to(tmp_path / "ours")
    os.lchown(tmp_path / "trap", NOBODY, NOBODY)
    with pytest.raises(
        FileError, match=r"trap is a link that another user made; name another folder than .*\.$"
    ):
        private_folder(tmp_path / path)
    assert mode(tmp_path / "ours") == 0o755
    assert not list((tmp_path / "ours").iterdir())


@as_root
def test_what_belongs_to_another_user_is_refused(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "file").write_text("")
    for path in ("theirs", "file"):
        os.chown(tmp_path / path, NOBODY, NOBODY)
    with pytest.raises(FileError, match="belongs to another user, who could read what is kept there"):
        private_folder(tmp_path / "theirs")
    with pytest.raises(FileError, match="belongs to another user, who could read what is kept there"):
        private_file(tmp_path / "file")


READ = """
import os, sys
os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
for folder, _, files in os.walk({path!r}, onerror=lambda error: print("refused", flush=True)):
    for file in files:
        print(open(os.path.join(folder, file)).read())
try:
    print(open({file!r}).read())
except PermissionError:
    print("refused")
"""


@as_root
def test_another_user_cannot_read(tmp_path):
    for above in [tmp_path, *tmp_path.parents][:-2]:
        above.chmod(0o755)
    folder = private_folder(tmp_path / "work")
    file = private_file(folder / "records")
    file.write_text("secret")
    script = READ.format(nobody=NOBODY, path=str(folder), file=str(file))
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["refused", "refused"]
