"""Laws of the kinds that have laws of their own: closures, Modules with state, train states."""
