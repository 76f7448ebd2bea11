"""Inspection of objects: arrays, trees, classes, references, and values of parameters."""
