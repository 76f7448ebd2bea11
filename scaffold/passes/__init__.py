"""Passes that add implied code to a spec: state, Variables, casts, scans, and hashable static values."""
