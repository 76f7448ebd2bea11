"""Classes and edits that are right, which no law may refuse."""
