"""Evolving masked files: their genomes, where they begin, and the steps that change them."""
