"""What is searched for: masked files, and other things that protect."""
