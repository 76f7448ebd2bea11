"""Laws of computed values: numbers, snapshots, invariants, conditions of an author."""
