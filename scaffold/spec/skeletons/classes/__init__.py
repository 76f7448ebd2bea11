"""Translation of one skeleton class into the tables of a spec."""
