"""Mistakes beside their right forms, by subject."""
