"""Jobs on social graphs."""
