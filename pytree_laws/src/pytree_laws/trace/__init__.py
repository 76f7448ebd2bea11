"""Traced and compiled programs: jaxprs, dependencies, compilation, platforms."""
