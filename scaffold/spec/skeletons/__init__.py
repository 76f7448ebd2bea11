"""Skeletons, `specs/NAME.py`: Python classes that are parsed into the tables of a spec, and never run."""
