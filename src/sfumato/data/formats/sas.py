"""SAS data sets, which only SAS itself writes."""

from sfumato.data.formats._statistics import StatisticsReading


class Sas(StatisticsReading):
    """Files of SAS."""

    suffixes = (".sas7bdat",)
    unwritable = "only SAS itself writes .sas7bdat; use .xpt"
    package = "SAS"
    reader = "read_sas7bdat"
