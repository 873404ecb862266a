"""Random single changes of the sources, and whether tests notice them."""
