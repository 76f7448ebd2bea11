"""Example values of a class and its methods, and the subject of its suite, which holds them."""
