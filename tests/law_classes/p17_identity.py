import dataclasses

import jax


@jax.tree_util.register_dataclass  # its treedef does not name the class
@dataclasses.dataclass(eq=False)
class Mean:
    value: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x - self.value
