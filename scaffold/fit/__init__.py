"""What is wanted, made to fit the project that it goes into: its tests, its dependencies, its `__init__.py`."""
