"""Classes and functions as targets: where they are, and of what kind."""
