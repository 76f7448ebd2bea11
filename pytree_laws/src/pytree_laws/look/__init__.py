"""What the laws look with."""
