"""Collection, execution and report of tests, in pytest and outside of it."""
