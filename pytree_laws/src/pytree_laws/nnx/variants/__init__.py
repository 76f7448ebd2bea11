"""Laws of the methods of NNX modules, and of what they compute."""
