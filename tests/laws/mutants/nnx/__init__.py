"""NNX modules with one mistake each."""
