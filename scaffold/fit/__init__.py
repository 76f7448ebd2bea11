"""Adaptation of generated files to the project: its tests, dependencies and `__init__.py`."""
