"""How an instance is called: tries, until its outputs depend on arguments and parameters."""
