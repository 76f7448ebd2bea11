"""Layers of Equinox and Flax that a class makes or is given, and the shapes of their calls."""
