"""A law and an adapter that are not in the package, each in one short file."""
