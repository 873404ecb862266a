"""Judging two tables in blocks: each measure in passes over the blocks, or with a database that spills."""
