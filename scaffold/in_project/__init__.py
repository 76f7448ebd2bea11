"""The user's project: where things go in it (`layout`), what it says of itself, and what is wanted, made to fit it (`fit`)."""
