"""Mistakes in train states, closures, states and NNX modules."""
