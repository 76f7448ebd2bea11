"""Suites and conditions as an author writes them by hand."""
