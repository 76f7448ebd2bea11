"""Patches of private parts of jax and Python. If a part is missing, its patch does nothing."""
