"""How delimited text is laid out."""

import codecs
from dataclasses import dataclass, fields
from pathlib import Path

from sfumato.core import ParameterError

NOT_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined")
DECIMALS = (".", ",")
DATES = ("ymd", "dmy", "mdy", "text")
QUOTES = ('"', "'")


@dataclass(frozen=True, kw_only=True, repr=False)
class CsvOptions:
    """How cells are laid out in a delimited file. What is None is found out where a file is read, and usual where it is written.

    `thousands` and `comment` are empty where there are none. `dates` says in which order days, months and years stand
    (or text, to leave them as they are). `sheet` is the one of a spreadsheet that is read. `names` are the columns that a schema declares: the layout whose first row
    has these names is the right one.

    >>> CsvOptions(delimiter=";", decimal=",")
    CsvOptions(delimiter=';', decimal=',')
    >>> CsvOptions(delimiter=";;")
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: delimiter must be one character, no quote and no line end. Got ';;'.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    quote: str | None = None
    comment: str | None = None
    dates: str | None = None
    sheet: str | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.delimiter is not None and (not _is_mark(self.delimiter) or self.delimiter == '"'):
            raise ParameterError(
                f"delimiter must be one character, no quote and no line end. Got {self.delimiter!r}."
            )
        if self.encoding is not None and not _is_of_texts(self.encoding):
            raise ParameterError(
                "encoding must be one of texts that Python knows, such as utf-8 or latin-1. "
                f"Got {self.encoding!r}."
            )
        _check_one_of("decimal", self.decimal, DECIMALS)
        _check_one_of("dates", self.dates, DATES)
        _check_one_of("quote", self.quote, QUOTES)
        for name in ("thousands", "comment"):
            mark = getattr(self, name)
            if mark and (len(mark) != 1 or mark.isalnum() or mark in '"\r\n\0'):
                raise ParameterError(
                    f"{name} must be one character, no letter, digit, quote or line end. Got {mark!r}."
                )
        if self.decimal is not None and self.decimal == self.thousands:
            raise ParameterError(f"decimal and thousands must differ. Got {self.decimal!r} for both.")

    def __repr__(self) -> str:
        said = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "names"}
        return f"CsvOptions({', '.join(f'{name}={one!r}' for name, one in said.items() if one is not None)})"

    def delimiter_for(self, path: Path) -> str:
        return self.delimiter or usual_delimiter(path)

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are UTF-8, with or without a byte-order mark."""
        return codecs.lookup(self.encoding or "utf-8").name in ("utf-8", "utf-8-sig", "ascii")


def usual_delimiter(path: Path) -> str:
    """A tab in .tsv, and a comma elsewhere."""
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _is_mark(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text not in "\r\n\0"


def _check_one_of(name: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise ParameterError(f"{name} must be one of {' '.join(known)}. Got {value!r}.")


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
