"""Suites of NNX modules: Variables, and how to build, call, train and infer them."""
