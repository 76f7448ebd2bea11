"""What looks at classes, in the interpreter of the user's project.

It runs as a process of its own (`__main__`), is loaded by path, and imports jax, the laws and
the classes, and nothing else of the tool. Requests and answers are lines of JSON.
"""
