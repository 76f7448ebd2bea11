"""The constructor of a class, and with which sizes and values the tests call it."""
