"""A package's `__init__.py`: whether and how it re-exports what is new (`exports`), and edits of its text, byte for byte (`edits`)."""
