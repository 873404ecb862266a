"""When a search ends: one file for each rule, found by its name."""

from sfumato.search.stop_rules._contract import Progress, StopRule

__all__ = ["Progress", "StopRule"]
