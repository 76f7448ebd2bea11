"""Declarations of a suite, a file for each kind of row: leaves, methods, outputs, claims, and inputs."""
