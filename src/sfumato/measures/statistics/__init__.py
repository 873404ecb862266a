"""Statistics of an original and a masked file, of which measures are made: one file each."""
