"""Operators of evolutionary searches on masked files: one file each, found by their name."""
