"""Search for a maker and arguments that build a class."""
