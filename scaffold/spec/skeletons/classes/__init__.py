"""One class of a skeleton, to the tables of a spec."""
