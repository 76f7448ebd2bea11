"""The generated suite of a class: example values, declarations, and what the laws are told of it."""
