"""The constructor of a class, and the sizes and values with which the tests call it."""
