"""The author's Python, parsed and never run."""
