"""A file that hands large arrays to other processes of this machine, without a copy each."""

import mmap
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato.core.private import private_file
from sfumato.core.temporaries import temporary_folder

ALIGNMENT = 64


@contextmanager
def shared_file(value: Any) -> Iterator[Path]:
    """Put a value into a file whose arrays others can map; the file is gone when the block ends.

    The file holds the arrays first, each at a multiple of 64 bytes, then the pickled rest, then an index.

    >>> import numpy as np
    >>> with shared_file({"ages": np.arange(3)}) as path:
    ...     attach(path)["ages"].tolist()
    [0, 1, 2]
    """
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    with temporary_folder() as folder:
        path = private_file(folder / "shared")
        with path.open("wb") as file:
            places = []
            for buffer in buffers:
                file.write(bytes(-file.tell() % ALIGNMENT))
                raw = buffer.raw()
                places.append((file.tell(), raw.nbytes))
                file.write(raw)
            start = file.tell()
            file.write(rest)
            index = pickle.dumps((start, places))
            file.write(index)
            file.write(len(index).to_bytes(8, "little"))
        yield path


def attach(path: Path) -> Any:
    """The value behind a shared file; its arrays are read-only views of the file."""
    with path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    end = len(whole) - 8
    index_length = int.from_bytes(whole[end:], "little")
    start, places = pickle.loads(whole[end - index_length : end])
    buffers = [whole[at : at + length] for at, length in places]
    return pickle.loads(whole[start : end - index_length], buffers=buffers)
