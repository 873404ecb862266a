"""Tables larger than memory: read into blocks on disk, and masked part by part."""
