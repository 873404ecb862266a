"""File formats of graphs: one file each, which declares the suffixes it is known by."""
