"""Skeletons, `specs/NAME.py`: classes as their author begins them, to the tables of a spec. Nothing is run."""
