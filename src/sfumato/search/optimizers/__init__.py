"""Ways to search: one file each, found by their name."""
