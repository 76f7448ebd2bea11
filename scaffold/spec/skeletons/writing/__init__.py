"""The tables of a spec, to the text of a skeleton."""
