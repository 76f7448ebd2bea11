"""How a class is built: tries, until one works."""
