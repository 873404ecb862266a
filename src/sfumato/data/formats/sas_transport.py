"""SAS transport files, which keep labels of columns only."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from sfumato.data.attribute import Attribute
from sfumato.data.formats._statistics import Spelling, StatisticsColumn, StatisticsFormat
from sfumato.data.table import Table


class SasTransport(StatisticsFormat):
    """Transport files of SAS, version 8."""

    suffixes = (".xpt",)
    package = "SAS transport"
    reader = "read_xport"
    reading: ClassVar[Mapping[str, Any]] = {}
    writer = "write_xport"
    letters = re.ASCII

    def spelling(self, attribute: Attribute, values: pa.Array) -> Spelling:
        """Codes of texts as they are; those of numbers are lost."""
        is_numeric = pa.types.is_floating(values.type)
        return Spelling({} if is_numeric else {code: code for code in attribute.missing})

    def declarations(
        self, table: Table, columns: Mapping[str, StatisticsColumn], target: Path
    ) -> dict[str, Any]:
        return {"file_format_version": 8}
