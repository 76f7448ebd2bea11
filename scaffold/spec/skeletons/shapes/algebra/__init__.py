"""Shapes that are learnt step by step, through sums, products and indices."""
