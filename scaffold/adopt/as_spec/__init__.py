"""A class that exists as a spec: its own source, with what it reads of its module, and the examples that were found.

`source` takes the class out of its module, `examples` says how an instance was built and called, `say` writes the skeleton and
reads it back, and `flow` goes from targets to all of that.
"""
