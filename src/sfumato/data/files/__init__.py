"""Tables and graphs in files, which are written whole or not at all."""

from sfumato.data.files.atomic import writing, writing_all
from sfumato.data.files.table_files import layout_of, propose_schema, read_arrow, read_table, write_table

__all__ = ["layout_of", "propose_schema", "read_arrow", "read_table", "write_table", "writing", "writing_all"]
