"""Jobs: what people ask for. A file is a job, a folder in this folder is a group of them."""
