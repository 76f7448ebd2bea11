"""Sizes of examples that the fields of a class do not state: of parts, images, and starred arguments."""
