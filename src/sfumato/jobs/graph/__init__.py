"""Make social graphs from profiles, protect and judge them.

Social graphs: people with a place and topics of interest, and who knows or follows whom.

Taking the names away protects nobody: a few attributes and the acquaintances of a person are enough to find them
again.
"""
