"""Numbers: example values, random ones, edge values, dtypes, and what is equal up to rounding."""
