"""Several files with key columns, linked by a small TOML file beside them: read as one table of records."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from sfumato.core import FileError
from sfumato.core.quantities import Size
from sfumato.core.regular_files import check_regular
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats import format_of
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.linked_tables import Part, joined, linking

ENDING = ".tables.toml"


class LinkedFiles(Format):
    """Files that lie beside a file such as survey.tables.toml, which names them and their keys."""

    suffixes = (ENDING,)
    unwritable = "linked files are written together as a .zip, which holds this file too"

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        parts = []
        for name, (key, known_as) in linking(path).items():
            file = path.with_name(name)
            form: Format = format_of(file)
            if isinstance(form, LinkedFiles):
                raise FileError(f"{path} links {name}, which links files itself: name the files.")
            check_regular(file)
            columns, declared = form.read(file, options, memory)
            parts.append(Part(name, columns, key, known_as, declared))
        return joined(parts)
