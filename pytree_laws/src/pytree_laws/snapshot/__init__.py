"""Recorded numbers of a class: what its call, methods and configurations compute, as text."""
