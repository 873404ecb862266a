"""Social graphs: making them from profiles, protecting attributes and structure, judging and attacking them."""
