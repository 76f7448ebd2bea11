"""The law of sharding, for NNX."""
