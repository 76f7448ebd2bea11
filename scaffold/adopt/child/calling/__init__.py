"""Search for a call of an instance whose outputs depend on its arguments and parameters."""
