"""Patches of private parts of jax and Python, each of which works without what it patches."""
