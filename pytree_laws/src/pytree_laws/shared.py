"""The laws of shared arrays: what a class must hold whose fields read arrays stored elsewhere.

Subclass `SharedLaws` like `PytreeLaws`, and declare the ties:

    class TestTiedEmbedding(SharedLaws):
        leaves = (Leaf("embedding", "param", (2, 3)),)
        ties = {"head": "embedding"}
"""

from .laws import PytreeLaws


class SharedLaws(PytreeLaws):
    """The suite of a class with shared arrays. Subclass it with a name that starts with `Test`."""
