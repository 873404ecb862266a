"""Measures judged block by block: one file each, under the name of the measure it is."""
