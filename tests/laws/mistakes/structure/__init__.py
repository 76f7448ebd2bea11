"""Mistakes in what a class is: nodes, static values, parts, bases."""
