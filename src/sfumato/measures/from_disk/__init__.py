"""Measures of files larger than memory: the same values, in passes over blocks and with a database that spills."""

from sfumato.measures.from_disk.block_scores import default_measures, score_blocks
from sfumato.measures.from_disk.score_cache import cached_scores

__all__ = ["cached_scores", "default_measures", "score_blocks"]
