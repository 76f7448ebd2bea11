"""The test files that `adopt` writes, and what was written before."""
