"""Transformations of optax."""
