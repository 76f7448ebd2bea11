"""Mistakes that numbers, files and snapshots show."""
