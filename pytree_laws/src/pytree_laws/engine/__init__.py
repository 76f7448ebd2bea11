"""Collecting, running and reporting tests in pytest and outside of it."""
