"""Laws of kinds beyond pytrees: closures, Modules with state, train states, abstract bases."""
