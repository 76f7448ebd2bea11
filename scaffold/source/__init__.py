"""Analysis of the author's Python, which is parsed and never run."""
