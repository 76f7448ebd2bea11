"""Declarations of a suite: leaves, outputs, methods, configurations, invariants, and their source text."""
