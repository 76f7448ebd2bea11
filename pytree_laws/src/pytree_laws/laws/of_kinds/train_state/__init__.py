"""Laws of train states: of one update, of training as a whole, and of training as it is done elsewhere."""
