"""Code of the child process, which looks at classes in the interpreter of the user's project.

`__main__` loads this package by path. The package imports jax, the laws and the classes, and nothing else of
scaffold. Requests and answers are lines of JSON.
"""
