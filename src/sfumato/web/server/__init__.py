"""The server of the workbench: the application, who is let in, and the JSON twin of the pages."""
