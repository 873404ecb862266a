"""Random streams keyed by purpose: one key, or in studies one seed, fixes every result on any number of workers."""

import re
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.core.errors import FileError, ParameterError
from sfumato.core.private import private_file, private_folder
from sfumato.core.regular_files import small_text

if TYPE_CHECKING:
    import numpy as np

BYTES = 32  # of a key
KEY_FILE = "secret.key"


@dataclass(frozen=True, repr=False)
class Key:
    """Secret bits that every random choice of a job hangs on. Neither its text nor its `mark` tells them.

    `path` is the file it was read from, if it was.

    >>> Key(b"0" * 32) == Key(b"0" * 32), Key.drawn() == Key.drawn()
    (True, False)
    >>> print(Key(b"0" * 32))
    Key(…)
    """

    secret: bytes
    path: Path | None = field(default=None, compare=False)

    noun: ClassVar[str] = "the file of a key, such as STEM.private/secret.key"
    word: ClassVar[str] = "FILE"
    is_path: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.secret) != BYTES:
            raise ParameterError(f"A key has {BYTES} bytes. Got {len(self.secret)}.")

    def __repr__(self) -> str:
        return "Key(…)"

    def plain(self) -> str:
        """As study files hold it: by its file."""
        return KEY_FILE if self.path is None else str(self.path)

    @cached_property
    def mark(self) -> str:
        """What tells keys apart without telling them."""
        return self.derived("mark", size=8).hex()

    def derived(self, *purpose: str | int, size: int = 16) -> bytes:
        """Bits for one purpose: whoever has them knows neither the key nor those for another purpose."""
        return blake2b(repr(purpose).encode(), key=self.secret, digest_size=size).digest()

    @classmethod
    def drawn(cls) -> Self:
        """A new one, from the operating system."""
        return cls(secrets.token_bytes(BYTES))

    @classmethod
    def convert(cls, value: Any) -> Self:
        """A key as it is, or that of a file."""
        return value if isinstance(value, cls) else cls.read(Path(value))

    @classmethod
    def read(cls, path: Path) -> Self:
        text = small_text(path, "Key", encoding="ascii").strip()
        if not re.fullmatch(rf"[0-9a-f]{{{2 * BYTES}}}", text):
            raise FileError(f"Key {path}: a key is one line of {2 * BYTES} hexadecimal digits.")
        return cls(bytes.fromhex(text), path)

    def write(self, path: Path) -> None:
        """Keep the key in a file that nobody else can read."""
        private_file(path).write_text(self.secret.hex() + "\n", encoding="ascii", newline="\n")

    @classmethod
    def kept_in(cls, folder: Path, given: Self | None = None) -> Self:
        """The key of a folder in which a job goes on; where it has none yet the one given, or a new one."""
        path = folder / KEY_FILE
        if not path.is_file():
            fresh = private_folder(folder) / f"{path.name}.new"
            (given or cls.drawn()).write(fresh)
            fresh.replace(path)
        return given or cls(cls.read(path).secret)


Seed = int | Key
"""What fixes random choices: a secret key, or for studies a number that anybody may know."""


def stream(seed: Seed, *keys: str | int) -> "np.random.Generator":
    """A generator that depends on the seed and on what it is for, and on nothing else.

    That of a key is Philox under 128 bits of its own, made from the key by a keyed hash: what one stream gave away
    would tell nothing of another. That of a number is as it was in earlier versions, so that studies repeat.

    >>> a, b = stream(1, "candidate", 7), stream(1, "candidate", 7)
    >>> bool(a.random() == b.random())
    True
    >>> bool(stream(1, "candidate", 7).random() == stream(1, "candidate", 8).random())
    False
    >>> bool(stream(Key(b"0" * 32), "order").random() == stream(Key(b"1" * 32), "order").random())
    False
    """
    import numpy as np  # here, so that the command line can list methods without it

    if isinstance(seed, Key):
        from sfumato.core.keyed_sequence import KeyedSequence

        secret: Any = KeyedSequence(
            seed.derived(*keys, size=BYTES)
        )  # which numpy takes, and its types forget
        return np.random.Generator(np.random.Philox(secret))
    digest = blake2b(repr(keys).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([_whole(seed), *words])))


def another(seed: Seed, *purpose: str | int) -> Seed:
    """What fixes random choices where a job is done once more: of a key another key, of a number another number.

    >>> another(1, "rehearsal", 0) == another(1, "rehearsal", 1)
    False
    """
    if isinstance(seed, Key):
        return Key(seed.derived(*purpose, size=BYTES))
    return int(stream(seed, *purpose).integers(2**62))


def marked(seed: Seed) -> int | str:
    """A seed as it may be told: of a key, only its mark."""
    return seed.mark if isinstance(seed, Key) else seed


def number(seed: Seed, *purpose: str | int) -> int:
    """A seed as a number, for what takes no key; that of a key tells nothing of it."""
    return int.from_bytes(seed.derived(*purpose, size=8), "little") if isinstance(seed, Key) else seed


def _whole(seed: int) -> int:
    # SeedSequence takes no negative numbers; fold them onto the odd ones so that -1 and 1 differ
    return 2 * seed if seed >= 0 else -2 * seed - 1
