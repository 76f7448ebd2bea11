"""Numbers and arrays with which a class can be built: small, shared, neutral, and allowed."""
