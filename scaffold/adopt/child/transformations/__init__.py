"""Transformations of optax: search for an example, and description for a test file."""
