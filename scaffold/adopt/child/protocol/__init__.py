"""Requests of the parent process, and the handlers that answer them."""
