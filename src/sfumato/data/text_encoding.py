"""In which encoding a file of text is written, found out from its bytes."""

import codecs
from collections.abc import Iterator
from pathlib import Path

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PIECE = 1 << 20
MOST = 1 << 17  # bytes that a guess is made from
USUAL = "cp1252"  # of western files, and of those that two encodings would read alike


def found_encoding(path: Path) -> tuple[str, bool]:
    """The encoding of a file, and whether it is only a guess: UTF-8 wherever the whole file is that."""
    with path.open("rb") as file:
        beginning = file.read(4096)
        for mark, name in MARKS:
            if beginning.startswith(mark):
                return name, False
        if b"\0" in beginning:  # no text without a mark
            return "utf-8", False
        file.seek(0)
        telling = _beyond_utf8(iter(lambda: file.read(PIECE), b""))
    if not telling:
        return "utf-8", False
    guess = _guessed(telling)
    return (guess, True) if guess else ("utf-8", False)


def _beyond_utf8(pieces: Iterator[bytes]) -> bytes:
    """Lines with letters beyond ASCII of a file that is no UTF-8; nothing of one that is."""
    decoder, broken, taken = codecs.getincrementaldecoder("utf-8")(), False, 0
    lines: list[bytes] = []
    for piece in pieces:
        try:
            decoder.decode(b"" if broken else piece)
        except UnicodeDecodeError:
            broken = True
        if taken < MOST and not piece.isascii():
            found = [line for line in piece.splitlines(keepends=True) if not line.isascii()]
            lines += found
            taken += sum(map(len, found))
    return b"".join(lines) if broken else b""


def _guessed(telling: bytes) -> str:
    import chardet

    guess = chardet.detect(telling)["encoding"]
    try:
        text = telling.decode(guess or "", "replace")
    except LookupError:
        return ""
    return USUAL if text == telling.decode(USUAL, "replace") else str(guess).lower()
