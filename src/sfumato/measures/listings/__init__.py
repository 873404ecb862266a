"""Lists of records by their risk, for private reports: they lead to people."""

from sfumato.measures.listings.risky_records import RiskyRecord, RiskyRecords, riskiest

__all__ = ["RiskyRecord", "RiskyRecords", "riskiest"]
