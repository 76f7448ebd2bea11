"""What the code of a class says of its examples: which values it compares, takes roots of, reads, and hands on."""
