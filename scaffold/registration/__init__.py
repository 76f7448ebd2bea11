"""Re-exports in a package's `__init__.py`: the choice of exports (`exports`) and byte-exact edits
(`edits`)."""
