"""Laws of a training step, with a file for each."""
