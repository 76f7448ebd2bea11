"""Laws of transformations: jit, grad, vmap, scan, other sizes, other platforms."""
