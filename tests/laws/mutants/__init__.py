"""Classes with one mistake each, and the law that notices it."""
