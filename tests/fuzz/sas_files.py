"""Small data sets of SAS, byte by byte: no library writes them."""

import struct
from collections.abc import Sequence

MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
HEADER, PAGE, MIXED = 1024, 4096, 512
UTF8 = 20
NUMBER, TEXT, WIDTH = 1, 2, 8


def sas7bdat(names: Sequence[str], rows: Sequence[Sequence[float | str]]) -> bytes:
    """One page with all columns, eight bytes each, and all rows."""
    kinds = [TEXT if isinstance(cell, str) else NUMBER for cell in rows[0]]
    cells = [_cell(cell) for row in rows for cell in row]
    return _header() + _page(_subheaders(names, kinds, len(rows)), b"".join(cells), len(rows))


def _cell(value: float | str) -> bytes:
    return value.encode()[:WIDTH].ljust(WIDTH) if isinstance(value, str) else struct.pack("<d", value)


def _header() -> bytes:
    head = bytearray(HEADER)
    head[:32] = MAGIC
    head[32], head[35], head[37], head[39], head[70] = 0x22, 0x22, 1, ord("1"), UTF8
    head[84:92], head[92:100], head[156:164] = b"SAS FILE", b"PEOPLE  ", b"DATA    "
    head[196:208] = struct.pack("<III", HEADER, PAGE, 1)
    head[216:224] = b"9.0401M6"
    return bytes(head)


def _page(subheaders: Sequence[bytes], data: bytes, rows: int) -> bytes:
    page = bytearray(PAGE)
    page[16:22] = struct.pack("<HHH", MIXED, rows + len(subheaders), len(subheaders))
    end = PAGE
    for number, subheader in enumerate(subheaders):
        end -= len(subheader)
        page[end : end + len(subheader)] = subheader
        page[24 + 12 * number : 36 + 12 * number] = struct.pack("<IIBBH", end, len(subheader), 0, 0, 0)
    start = -(-(24 + 12 * len(subheaders)) // 8) * 8
    page[start : start + len(data)] = data
    return bytes(page)


def _subheaders(names: Sequence[str], kinds: Sequence[int], rows: int) -> list[bytes]:
    size = bytearray(480)
    size[:4] = b"\xf7" * 4
    struct.pack_into("<II", size, 20, WIDTH * len(names), rows)
    struct.pack_into("<II", size, 36, len(names), 0)
    struct.pack_into("<I", size, 60, rows)
    columns = b"\xf6" * 4 + struct.pack("<II", len(names), 0)
    blob = b"".join(name.encode().ljust(8) for name in names)
    text = b"\xfd\xff\xff\xff" + struct.pack("<HHHH", len(blob) + 24, 0, 0, 0) + bytes(20) + blob + bytes(4)
    places = [struct.pack("<HHHH", 0, 28 + 8 * i, len(name), 0) for i, name in enumerate(names)]
    named = (
        b"\xff\xff\xff\xff" + struct.pack("<HHHH", 8 * len(names) + 8, 0, 0, 0) + b"".join(places) + bytes(8)
    )
    kept = [struct.pack("<IIHBB", WIDTH * i, WIDTH, 4, kind, 0) for i, kind in enumerate(kinds)]
    attributes = (
        b"\xfc\xff\xff\xff" + struct.pack("<HHHH", 12 * len(names) + 8, 0, 0, 0) + b"".join(kept) + bytes(8)
    )
    formats = [b"\xfe\xfb\xff\xff" + bytes(48) for _ in names]
    return [bytes(size), columns, text, named, attributes, *formats]
