"""Jobs on the anonymity of groups."""
