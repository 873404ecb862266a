"""Studies that are not yet jobs."""
