"""Traced and compiled programs: jaxprs, what depends on what in them, compilation, platforms."""
