"""Recorded numbers of a class: the results of its call, methods and configurations, as text."""
