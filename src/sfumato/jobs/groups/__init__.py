"""Find out, and hide, where the members of a group are.

Group anonymity: where the members of a group are, and who could find out.

A file can hide who belongs to a group and still tell where they are: an area with far too many people who look like
soldiers gives a base away.
"""
