"""Laws of train states: one update, training as a whole, and variants of training."""
