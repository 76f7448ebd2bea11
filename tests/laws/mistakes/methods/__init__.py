"""Mistakes in methods beside the call."""
