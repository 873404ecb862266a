"""A folder of exported profiles: JSON files with one profile each, JSON lines with many, or both.

{"id": "ann", "location": "Brooklyn, NY", "posts": ["short text", {"text": "see this", "documents": ["long text"]}],
"follows": ["bob"]}
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from sfumato.core import DataError, FileError
from sfumato.graphs.profiles import Post, Profile

SUFFIXES = (".json", ".jsonl", ".ndjson")


class _Exported(msgspec.Struct):
    """A profile as networks export it, where an id may be a number and anything may be null."""

    id: str | int
    location: str | None = None
    posts: list[str | Post] | None = None
    follows: list[str | int] | None = None


class ProfileFolder:
    """Profiles of a folder by id; everything else that a file says about a user is left alone.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "ann.json").write_text('{"id": 17, "location": "Lleida", "follows": [18]}')
    >>> ProfileFolder(folder).profile("17")
    Profile(id='17', location='Lleida', posts=(), follows=('18',))
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """All profiles, in the order of the names of their files."""
        found: dict[str, Profile] = {}
        for where, text in self._texts():
            profile = _profile(text, where)
            if profile.id in found:
                raise DataError(f"{where}: a profile of the same id comes before; ids must be unique.")
            found[profile.id] = profile
        if not found:
            raise DataError(
                f"{self.folder} holds no profile: they are files that end in {', '.join(SUFFIXES)}."
            )
        return found

    def profile(self, id: str) -> Profile | None:
        return self.profiles.get(id)

    def _texts(self) -> Iterator[tuple[str, bytes]]:
        if not self.folder.is_dir():
            raise FileError(f"{self.folder} is not a folder of exported profiles.")
        for path in sorted(self.folder.iterdir()):
            if path.suffix.lower() not in SUFFIXES or not path.is_file():
                continue
            try:
                content = path.read_bytes()
            except OSError:
                raise FileError(f"{path} cannot be read.") from None
            if path.suffix.lower() == ".json":
                yield str(path), content
                continue
            for line, text in enumerate(content.splitlines(), start=1):
                if text.strip():
                    yield f"{path}, line {line}", text


def _profile(text: bytes, where: str) -> Profile:
    try:
        given = msgspec.json.decode(text, type=_Exported)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(
            f"{where}: a profile is a JSON object with an id, a location, a list of posts and a list follows."
        ) from None
    follows = tuple(str(id) for id in given.follows or ())
    return Profile(str(given.id), given.location or "", tuple(given.posts or ()), follows)
