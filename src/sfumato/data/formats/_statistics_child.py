"""Reads one file of a statistics package in a process of its own, and writes what it holds to the standard output.

The reader is C code that a damaged file can crash, stall or make ask for all the memory there is. This script runs by
its path and imports nothing of the package, so that it starts quickly. The request is JSON on the standard input; the
answer is an Arrow stream with one column for each variable, a second one for those with named missing values, and what
the file declares as metadata. The exit status says what went wrong; nothing is said in words, which could hold a value.
"""

import contextlib
import json
import os
import sys
import time
from typing import Any

REFUSED, NO_MEMORY, NOT_INSTALLED = 3, 4, 5
STATUSES = {"refused": REFUSED, "memory": NO_MEMORY, "package": NOT_INSTALLED}


def main() -> None:
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    try:
        import pyarrow as pa
        import pyreadstat
    except ImportError:
        sys.exit(NOT_INSTALLED)
    limit(memory=request["memory"], seconds=request["seconds"])
    try:
        read = getattr(pyreadstat, request["reader"])
        columns, meta = read(request["file"], output_format="dict", **request["options"])
        answer = table(columns, meta, pa)
        with pa.ipc.new_stream(sys.stdout.buffer, answer.schema) as stream:
            stream.write_table(answer)
        sys.stdout.flush()
    except MemoryError:
        sys.exit(NO_MEMORY)
    except Exception:  # the parser has no error class of its own for most of what it refuses
        sys.exit(REFUSED)


def limit(*, memory: int, seconds: int) -> None:
    """Bound the memory and the processor's time beyond what is taken now, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + int(time.process_time()), most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, most))


def table(columns: dict[str, list[Any]], meta: Any, pa: Any) -> Any:
    arrays, names = [], []
    for position, name in enumerate(list(columns)):
        values, is_text = columns.pop(name), meta.readstat_variable_types[name] == "string"
        letters = [] if is_text else [value if isinstance(value, str) else None for value in values]
        if any(letters):
            arrays.append(pa.array(letters, pa.string()))
            names.append(f"letters {position}")
            values = [None if isinstance(value, str) else value for value in values]
        arrays.append(texts(values, pa) if is_text else pa.array(values, from_pandas=True))
        names.append(f"values {position}")
    return pa.Table.from_arrays(arrays, names=names, metadata={"meta": json.dumps(declarations(meta))})


def texts(values: list[Any], pa: Any) -> Any:
    return pa.array([value or None for value in values], pa.string())


def declarations(meta: Any) -> dict[str, Any]:
    return {
        "names": meta.column_names,
        "texts": [name for name, kind in meta.readstat_variable_types.items() if kind == "string"],
        "measures": meta.variable_measure,
        "labels": meta.column_names_to_labels,
        "value_labels": {name: list(labels.items()) for name, labels in meta.variable_value_labels.items()},
        "ranges": {name: [(r["lo"], r["hi"]) for r in found] for name, found in meta.missing_ranges.items()},
        "letters": meta.missing_user_values,
    }


if __name__ == "__main__":
    main()
