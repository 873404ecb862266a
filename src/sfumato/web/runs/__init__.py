"""Runs: the folder each is known by, what its process tells and is told, and the studies that pages start."""
