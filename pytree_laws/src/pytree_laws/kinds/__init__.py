"""Base classes of suites: examples, partition, gradients and compiled programs of each kind."""
