"""Conversion of tables, tokens and files to a `ModuleSpec`, with the place of each fault."""
