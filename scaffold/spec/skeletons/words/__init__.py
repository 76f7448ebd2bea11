"""What the words of a skeleton stand for: names, annotations and literals."""
