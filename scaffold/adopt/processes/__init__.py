"""Child processes that look at classes: requests, time and memory limits, and sharing of classes."""
