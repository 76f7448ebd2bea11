"""Targets and options of `scaffold adopt`, and the classes that source files define."""
