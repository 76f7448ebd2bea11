"""Laws of effects of NNX modules: purity, updates, saving, ownership, keys."""
