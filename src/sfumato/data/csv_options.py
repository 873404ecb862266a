"""How delimited text is laid out."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from sfumato.core import ParameterError

NOT_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined")


@dataclass(frozen=True, kw_only=True)
class CsvOptions:
    """How cells are laid out in a delimited file; no delimiter means a tab in .tsv and a comma elsewhere.

    >>> CsvOptions(delimiter=";;")
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: delimiter must be one character, no quote and no line end. Got ';;'.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    header: bool = True

    def __post_init__(self) -> None:
        delimiter = self.delimiter
        if delimiter is not None and (
            len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii()
        ):
            raise ParameterError(
                f"delimiter must be one character, no quote and no line end. Got {delimiter!r}."
            )
        if not _is_of_texts(self.encoding):
            raise ParameterError(
                "encoding must be one of texts that Python knows, such as utf-8 or latin-1. "
                f"Got {self.encoding!r}."
            )

    def delimiter_for(self, path: Path) -> str:
        return self.delimiter or ("\t" if path.suffix.lower() == ".tsv" else ",")

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are UTF-8, with or without a byte-order mark."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")


def _is_of_texts(encoding: str) -> bool:
    """Whether files of text are written so: not names of hosts, source code, compressed or scrambled bytes.

    >>> [_is_of_texts(name) for name in ("latin-1", "utf-16", "rot13", "zlib", "idna", "none")]
    [True, True, False, False, False, False]
    """
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name not in NOT_OF_FILES
    except (LookupError, ValueError):
        return False
