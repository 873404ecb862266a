"""Grouping attributes by GOMM: groupings, their operators, and what these did."""
