"""ZIP archives of a table, or of linked ones with the file that links them."""

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.core.quantities import Size
from sfumato.core.temporaries import temporary_folder
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats import format_of, suffixes, writable_suffixes
from sfumato.data.formats._format import Format
from sfumato.data.formats.ipums import Ipums
from sfumato.data.formats.linked_files import ENDING
from sfumato.data.inference import Declared
from sfumato.data.linked_tables import linking_text, parted
from sfumato.data.machine_memory import check_fits
from sfumato.data.table import Table

LINKS = f"linked{ENDING}"
PIECE = 2**20
DAY = (1980, 1, 1, 0, 0, 0)  # so that the same release is the same archive


class Zipped(Format):
    """A ZIP archive: of one file, or of linked ones beside a file that ends in .tables.toml."""

    suffixes = (".zip",)

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        with temporary_folder() as folder:
            try:
                main = _unpacked(path, folder, memory)
                form: Format = format_of(main)
                if not isinstance(form, Zipped):
                    return form.read(main, options, memory)
            except (DataError, FileError) as error:  # the user knows the archive only
                raise type(error)(str(error).replace(f"{folder}/", f"{path}: ")) from None
        raise FileError(f"{path} holds another archive: unpack it first.")

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        """Each linked table under the name that its file had; one whose format is only read, as CSV."""
        tables = parted(table) if any(one.tables for one in table.schema) else {"release.csv": table}
        files = {name: _writable(name) for name in tables}
        with (
            temporary_folder() as folder,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for name, part in tables.items():
                form: Format = format_of(Path(files[name]))
                form.write(part, folder / files[name], replace(options, names=()))
                _pack(packed, folder / files[name])
            if len(tables) > 1:
                (folder / LINKS).write_text(linking_text(files, table.schema), encoding="utf-8", newline="\n")
                _pack(packed, folder / LINKS)


def _unpacked(path: Path, folder: Path, memory: Size) -> Path:
    """The file of an archive that is to be read, with those beside it."""
    try:
        with zipfile.ZipFile(path) as packed:
            members = [one for one in packed.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
            check_fits(path, 2 * sum(one.file_size for one in members), memory)
            for one in members:
                _unpack(packed, one, folder / Path(one.filename).name)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError):
        raise FileError(f"{path} cannot be unpacked: it is damaged, or locked by a password.") from None
    names = [Path(one.filename).name for one in members]
    if len({*names}) < len(names):
        raise FileError(f"{path} holds two files of the same name.")
    links = [name for name in names if name.lower().endswith(ENDING)]
    lines = [
        name for name in names if name.lower().endswith(Ipums.suffixes)
    ]  # the other file is their codebook
    tables = links or lines or [name for name in names if name.lower().endswith(suffixes())]
    if len(tables) != 1:
        raise FileError(
            f"{path} holds {len(tables)} files that could be read: it needs one, or one that ends in {ENDING} and says "
            "how the others are linked."
        )
    return folder / tables[0]


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """A member, and no more bytes of it than it says that it has."""
    left = member.file_size
    with packed.open(member) as source, target.open("xb") as file:
        while piece := source.read(PIECE):
            left -= len(piece)
            if left < 0:
                raise zipfile.BadZipFile
            file.write(piece)


def _writable(name: str) -> str:
    path = Path(name)
    if name.lower().endswith(writable_suffixes()) and not name.lower().endswith(Zipped.suffixes):
        return name
    return path.with_suffix(".csv").name if name.lower().endswith(suffixes()) else f"{name}.csv"


def _pack(packed: zipfile.ZipFile, file: Path) -> None:
    info = zipfile.ZipInfo(file.name, DAY)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    with packed.open(info, "w", force_zip64=True) as target, file.open("rb") as source:
        while piece := source.read(PIECE):
            target.write(piece)
