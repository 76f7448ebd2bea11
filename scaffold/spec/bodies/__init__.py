"""The bodies of a class, as its author wrote them, and what is rewritten in them."""
