"""Shapes that code implies where annotations say none. They are examples for the tests."""
