"""A spec from one form to the other: the text of a skeleton, or of TOML, from the tables of either."""
