"""An existing class as a spec: its source, the statements that it reads, and its examples.

`source` takes the class out of its module. `examples` lists how an instance was built and called. `say`
writes the skeleton and reads it back. `flow` does all of this for each class of the targets.
"""
