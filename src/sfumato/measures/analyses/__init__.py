"""What analysts do with a file, one kind of analysis one file: how far what a release gives is from the original."""
