"""One file per command. A file is imported when its command is asked for; heavy imports wait inside."""
