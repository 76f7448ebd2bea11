"""Checks whether an example says anything, and a run of the laws on the class."""
