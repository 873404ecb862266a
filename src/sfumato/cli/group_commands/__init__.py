"""The commands of `sfumato groups`, one file each; the file name is the name of the command."""
