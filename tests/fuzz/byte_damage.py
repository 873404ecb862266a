"""Ways to damage bytes."""

import re
from random import Random

NUMBERS = (0, 1, -1, 127, 255, 256, 32767, 65535, 2**31 - 1, -(2**31), 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
TOKENS = (b"\0", b"\xff", b"\n", b"\r", b'"', b"'", b",", b";", b"\t", b"[", b"{", b"<", b"&", b"\xef\xbb\xbf", b"NaN",
          b"-1", b"1e309", b"1e308", b"9" * 400, b"\xed\xa0\x80", b"\xf0\x9f\x92\xa9", b"%s%n", b"../..", b"\\")  # fmt: skip
WORD = re.compile(rb"[A-Za-z0-9_.+-]+")
WORDS = (b"0", b"-1", b"1e308", b"1e-320", b"1e100", b"99999999999999999999", b"nan", b"inf", b"true", b"x" * 300, b"", b" ",
         b"1.5", b"2020-01-01", b"0x7f", b"\xc3\xa9", b"\xff", b"-0", b"1e5", b"00012", b"NA", b"*")  # fmt: skip


def damaged(content: bytes, other: bytes, random: Random) -> bytes:
    """The content, hurt once to five times; `other` is a file of the same kind to take pieces from."""
    for _ in range(random.choice((1, 1, 1, 1, 2, 4))):
        content = random.choice(WAYS)(content, other, random)
    return content


def _place(content: bytes, random: Random) -> int:
    """Anywhere, but more often near the beginning or the end, where headers and footers are."""
    near = random.choice((len(content), len(content), 64, 400))
    place = random.randrange(max(1, min(near, len(content))))
    return len(content) - place if random.random() < 0.25 else place


def _bit(content: bytes, _: bytes, random: Random) -> bytes:
    if not content:
        return content
    hurt = bytearray(content)
    hurt[_place(content, random) % len(hurt)] ^= 1 << random.randrange(8)
    return bytes(hurt)


def _byte(content: bytes, _: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + bytes([random.randrange(256)]) + content[place + 1 :]


def _number(content: bytes, _: bytes, random: Random) -> bytes:
    size = random.choice((1, 2, 4, 8))
    value = random.choice(NUMBERS) % 256**size
    place = _place(content, random)
    return content[:place] + value.to_bytes(size, random.choice(("little", "big"))) + content[place + size :]


def _token(content: bytes, _: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice(TOKENS) * random.choice((1, 1, 1, 50)) + content[place:]


def _cut(content: bytes, _: bytes, random: Random) -> bytes:
    start = _place(content, random)
    return content[:start] + content[start + random.randrange(1, 40) :]


def _end(content: bytes, _: bytes, random: Random) -> bytes:
    return content[: _place(content, random)]


def _twice(content: bytes, _: bytes, random: Random) -> bytes:
    start, end = sorted((_place(content, random), _place(content, random)))
    return content[:end] + content[start:end] * random.choice((1, 1, 20)) + content[end:]


def _splice(content: bytes, other: bytes, random: Random) -> bytes:
    return content[: _place(content, random)] + other[_place(other, random) :]


def _word(content: bytes, other: bytes, random: Random) -> bytes:
    """A number or a name gives way to another one, which leaves the structure as it is."""
    words = list(WORD.finditer(content))
    if not words:
        return content
    word, others = random.choice(words), WORD.findall(other)
    new = random.choice(others) if others and random.random() < 0.5 else random.choice(WORDS)
    return content[: word.start()] + new + content[word.end() :]


WAYS = (
    _word,
    _word,
    _word,
    _word,
    _word,
    _bit,
    _bit,
    _byte,
    _number,
    _number,
    _token,
    _cut,
    _end,
    _twice,
    _splice,
)
