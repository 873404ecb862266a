"""Searching for the protection with the best balance of disclosure risk and information loss."""
