"""How a class is built and called: tries, until one works."""
