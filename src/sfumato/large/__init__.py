"""Tables larger than memory: kept on disk in blocks, masked part by part, judged block by block."""

from sfumato.large.blocks import Blocks, BlockWriter

__all__ = ["BlockWriter", "Blocks"]
