"""Requests of the tool and what they are answered with."""
