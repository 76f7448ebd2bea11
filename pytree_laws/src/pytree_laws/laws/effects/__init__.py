"""Laws of effects: purity, edits, saving, ownership, keys, randomness."""
