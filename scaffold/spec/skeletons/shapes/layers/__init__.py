"""Layers of Equinox and Flax: what a class makes of them, what it is given, and what each takes and gives."""
