"""Rendering of templates: the tool's own in this process, and a project's in a limited process."""
