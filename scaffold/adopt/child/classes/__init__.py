"""Classes and functions as targets: their kinds, sources, methods and documentation."""
