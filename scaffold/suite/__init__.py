"""The generated test suite of a class: example values, declarations, and facts read off the code."""
