"""Mistakes in calls: what they depend on, change, draw and return."""
