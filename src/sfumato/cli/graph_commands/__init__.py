"""The commands of `sfumato graph`, one file each; the file name is the name of the command."""
