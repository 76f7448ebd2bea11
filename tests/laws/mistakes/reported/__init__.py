"""Mistakes that people reported: the catalogue behind docs/pitfalls.md."""
