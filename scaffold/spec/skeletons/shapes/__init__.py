"""The shapes that code asks of arrays whose annotations say none: examples for the tests, while the code stays as it is."""
