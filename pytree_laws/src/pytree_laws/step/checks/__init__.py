"""Laws of a training step, one a file."""
