"""Numbers and arrays with which a class can be built: small, shared, not neutral, and allowed."""
