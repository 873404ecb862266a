"""Files that hold tables: delimited text, Parquet, SPSS, Stata, SAS and IPUMS extracts; and writing them whole or not at all."""

from sfumato.data.files.atomic import writing, writing_all
from sfumato.data.files.delimited import CsvOptions
from sfumato.data.files.table_files import SUFFIXES, propose_schema, read_arrow, read_table, write_table

__all__ = [
    "SUFFIXES",
    "CsvOptions",
    "propose_schema",
    "read_arrow",
    "read_table",
    "write_table",
    "writing",
    "writing_all",
]
