"""The workspace: the folder that files may be opened from, and the home of the projects."""

import re
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sfumato.core import DataError, FileError, ParameterError
from sfumato.core.private import private_folder
from sfumato.data import SUFFIXES, CsvOptions
from sfumato.web.project_claim import SUFFIX, claim, drop
from sfumato.web.projects import GRAPHS, PROJECT, Project, read_project

HOME = ".sfumato"
LONGEST_NAME = 120


@dataclass(frozen=True)
class Entry:
    """A file or folder that may be opened: its name, its path below the folder, and its size."""

    name: str
    path: str
    is_folder: bool
    size: int = 0


class Workspace:
    """Where data come from, and where what is known about them is kept.

    `folder` is the only place files are opened from; names that lead out of it, by dots or by links, are
    refused. `home` holds one folder per project. Everything is on disk, so that a server that was killed finds
    it all again.
    """

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        if not folder.is_dir():
            raise FileError(f"Folder {folder} does not exist: give one that holds the files to open.")
        self.folder = folder.resolve()
        self.home = (home or self.folder / HOME).resolve()
        self._projects = self._make(self.home / "projects")
        self._claims: dict[str, int] = {}  # on the projects that are not kept yet

    def inside(self, below: str) -> Path:
        """The path of a file or folder below the folder; anything else is refused."""
        parts = [part for part in below.split("/") if part]
        if "\0" in below or "\\" in below or any(part.startswith(".") for part in parts):
            raise _outside()
        path = self.folder.joinpath(*parts).resolve()
        if not path.is_relative_to(self.folder) or path.is_relative_to(self.home):
            raise _outside()
        return path

    def entries(self, below: str = "") -> list[Entry]:
        """The folders, then the files with a known suffix, below the folder."""
        path = self.inside(below)
        if not path.is_dir():
            raise FileError("This folder does not exist: choose one from the list.")
        found = filter(None, (self._entry(below, child) for child in path.iterdir()))
        return sorted(found, key=lambda entry: (not entry.is_folder, entry.name.casefold()))

    def beside(self, project: Project) -> list[Entry]:
        """The other files in the folder of a project's file; of one that was uploaded, those that can be opened."""
        inner = "" if project.uploaded else project.path.parent.relative_to(self.folder).as_posix()
        try:
            found = self.entries("" if inner == "." else inner)
        except (DataError, FileError):  # it has gone meanwhile
            return []
        return [one for one in found if not one.is_folder and one.name != project.path.name]

    def projects(self) -> list[Project]:
        """All projects, the newest first."""
        found = []
        for folder in self._projects.iterdir():
            with suppress(DataError, FileError):  # damaged, half made, or of another folder
                found.append(self.project(folder.name))
        return sorted(found, key=lambda project: -project.created)

    def project(self, id: str) -> Project:
        folder = self._projects / id
        if not re.fullmatch(r"[0-9a-f]{12}", id) or not (folder / PROJECT).is_file():
            raise FileError("There is no such project: choose one from the list on the first page.")
        project = read_project(folder)
        place = project.folder if project.uploaded else self.folder
        if not project.path.resolve().is_relative_to(place):
            raise FileError(f"The file of project {project.name} is not below the folder that was opened.")
        return project

    def open_file(self, below: str, options: CsvOptions | None = None) -> Project:
        """A new project on a file below the folder; it is kept only when it is saved."""
        path = self.inside(below)
        if not path.is_file():
            raise FileError("This file does not exist: choose one from the list.")
        return self._new_project(clean_name(path.name), path, options)

    def new_upload(self, name: str, options: CsvOptions | None = None) -> Project:
        """A new project with room for an uploaded file; it is kept only when it is saved."""
        return self._new_project(name, None, options)

    def keep(self, project: Project) -> None:
        """Make a new project one that is found again."""
        project.save()
        self._settle(project.folder)

    def remove(self, project: Project) -> None:
        """Forget a project and all that was made of it; a file that was opened in place stays."""
        shutil.rmtree(project.folder, ignore_errors=True)
        self._settle(project.folder)

    def clear(self) -> None:
        """Remove what uploads left behind that were cut off when a server was killed; those of others go on."""
        for name in {path.name.removesuffix(SUFFIX) for path in self._projects.iterdir()}:
            folder = self._projects / name
            held = None if (folder / PROJECT).exists() else claim(folder)
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                drop(folder, held)

    def _entry(self, below: str, child: Path) -> Entry | None:
        path = "/".join(part for part in (below.strip("/"), child.name) if part)
        with suppress(OSError):  # a link that leads out, or a file that has just gone
            target = self.inside(path)
            if target.is_dir():
                return Entry(child.name, path, is_folder=True)
            if target.is_file() and is_known(child.name):
                return Entry(child.name, path, is_folder=False, size=target.stat().st_size)
        return None

    def _new_project(self, name: str, path: Path | None, options: CsvOptions | None) -> Project:
        """A project on the file at a path, or with room in its folder for one that is uploaded."""
        folder = self._claimed()
        return Project(
            id=folder.name,
            name=name,
            path=path or folder / f"data{Path(name).suffix.lower()}",
            folder=folder,
            options=options or CsvOptions(),
            uploaded=path is None,
            created=time.time(),
        )

    def _claimed(self) -> Path:
        """A new folder that no other server clears away while its project is made."""
        folder = self._projects / secrets.token_hex(6)
        held = claim(folder)
        if held is None:  # another server drew the same name, or looks at it
            return self._claimed()
        self._claims[folder.name] = held
        return self._make(folder)

    def _settle(self, folder: Path) -> None:
        if folder.name in self._claims:
            drop(folder, self._claims.pop(folder.name))

    def _make(self, folder: Path) -> Path:
        try:
            return private_folder(folder)
        except OSError:
            raise FileError(
                f"Folder {folder} cannot be made: give --home, a folder that can be written."
            ) from None


def is_known(name: str) -> bool:
    """Whether the suffix of a file name says that it holds a table or a graph.

    >>> is_known("People.CSV"), is_known("notes.docx")
    (True, False)
    """
    return name.lower().endswith((*SUFFIXES, *GRAPHS))


def clean_name(name: str) -> str:
    """What a file is called on the pages: its last part, without control characters, not too long.

    >>> clean_name("C:\\\\data\\\\people\\x00.csv")
    'people.csv'
    """
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(character for character in last if character.isprintable()).strip()
    if not shown:
        raise ParameterError("The file needs a name with a suffix, such as people.csv.")
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 9] + "…" + shown[-8:]


def _outside() -> FileError:
    return FileError("This path leads out of the folder that was opened: choose a file from the list.")
