"""Numbers: example values, random values, edge values, dtypes, and equality up to rounding."""
