"""Where the parts of a class lie on a mesh: dims by name, specs of arrays, meshes, and what a program does on them."""
