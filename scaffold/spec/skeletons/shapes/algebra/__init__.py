"""Shapes that are learnt piece by piece, and what sums, products and indices make of them."""
