"""The constructor of a class as source: arrays that are given, made and drawn, the sizes that are read off them, and what is refused."""
