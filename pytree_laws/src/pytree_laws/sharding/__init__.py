"""Placement of a class on a mesh: dims by name, specs of arrays, meshes, and programs on them."""
