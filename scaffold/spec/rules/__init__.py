"""Rules for specs. Each rule checks one thing and yields its faults."""
