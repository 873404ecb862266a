"""The process that answers questions: how it is asked, what it knows of a project, and how it answers."""
