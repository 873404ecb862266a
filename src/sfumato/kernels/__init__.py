"""Compiled array functions. They take and return plain arrays, check nothing, and import nothing of ours."""
