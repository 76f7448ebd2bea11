"""NNX modules as subjects of laws: Variables, how a suite builds, calls and trains them, what is inferred of them."""
