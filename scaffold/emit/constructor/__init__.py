"""Source of the constructor: copied, computed and drawn arrays, sizes read off arrays, and checks."""
