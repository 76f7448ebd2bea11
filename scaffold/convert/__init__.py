"""Conversion of a spec between its forms: the text of a skeleton, or TOML."""
