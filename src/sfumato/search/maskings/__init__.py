"""Maskings as candidates: what to try, how it is judged, named and kept, and what a release must meet."""
