"""Drawings of results: one file, one function of the same name, `name(result, ax=None) -> Figure`."""
