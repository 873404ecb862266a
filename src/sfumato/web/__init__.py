"""The workbench: pages in a browser, for people who would rather look than read. Holds no statistics."""
