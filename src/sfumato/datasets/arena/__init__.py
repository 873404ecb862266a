"""The public arena: NIST's extracts of the American Community Survey, and what the files that others made of them scored.

A folder and not a file, since its extracts are several and share one dictionary; `massachusetts` is the data set. None
of its files is part of the package: they lie in the folder `nist` beside the classic ones.
"""

from sfumato.datasets.arena.extract import NAMES, extract
from sfumato.datasets.arena.published import Submission, published

__all__ = ["NAMES", "Submission", "extract", "published"]
