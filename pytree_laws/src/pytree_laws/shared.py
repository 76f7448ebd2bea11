"""The laws of shared arrays: what a class holds whose fields read arrays that others store.

Subclass `SharedLaws` as one subclasses `PytreeLaws`, and declare the ties:

    class TestTiedEmbedding(SharedLaws):
        leaves = (Leaf("embedding", "param", (2, 3)),)
        ties = {"head": "embedding"}
"""

from .laws import PytreeLaws


class SharedLaws(PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""
