"""Test files that `adopt` writes, and the records of earlier files."""
