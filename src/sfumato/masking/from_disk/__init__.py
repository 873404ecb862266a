"""Masking a table in blocks: record by record, or by an exchange that brings neighbours together."""
