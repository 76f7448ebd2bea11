"""Looking at objects: arrays, trees, classes, what they refer to, and what a parameter may be given."""
