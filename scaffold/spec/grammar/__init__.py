"""The words of a spec: types, values and initialisers, as data and as text."""
