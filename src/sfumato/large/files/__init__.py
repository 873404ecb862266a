"""Files larger than memory: their schema proposed, their records spooled to blocks, blocks written as one file."""
