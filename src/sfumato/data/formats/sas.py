"""SAS data sets, which only SAS itself writes."""

from typing import ClassVar

from sfumato.data.formats._statistics import StatisticsReading


class Sas(StatisticsReading):
    """Files of SAS."""

    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat",)
    unwritable: ClassVar[str] = "only SAS itself writes .sas7bdat; use .xpt"
    package: ClassVar[str] = "SAS"
    reader: ClassVar[str] = "read_sas7bdat"
