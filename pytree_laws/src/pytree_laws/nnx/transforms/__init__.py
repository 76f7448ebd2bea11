"""Laws of transformations of NNX modules: jit, grad, vmap, scan, other sizes."""
