"""What a spec says of single fields, and what follows from it."""
