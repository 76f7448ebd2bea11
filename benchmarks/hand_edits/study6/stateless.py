"""Edits in a learnt Hamiltonian, a camera, and an encoder of speech: roles, copies, keys, dtypes, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

HAMILTONIAN: tuple[Edit, ...] = (
    declared(
        "hamiltonian",
        "the energy of the rest has a gradient with respect to the rest",
        ("self.potential(jax.lax.stop_gradient(self.rest))", "self.potential(self.rest)"),
    ),
    declared(
        "hamiltonian",
        "the group leaves out the offset",
        ('path[0].name in ("inner", "offset", "outer"), self', 'path[0].name in ("inner", "outer"), self'),
    ),
    declared(
        "hamiltonian",
        "both weights are drawn from one key",
        (
            "        inner_key, outer_key = jax.random.split(key, 2)\n",
            "        (inner_key,) = jax.random.split(key, 1)\n",
        ),
        (
            "outer=0.1 * jax.random.normal(outer_key, (hidden,), dtype)",
            "outer=0.1 * jax.random.normal(inner_key, (hidden,), dtype)",
        ),
    ),
    declared("hamiltonian", "there are always three steps", ("None, length=steps)[1]", "None, length=3)[1]")),
    numbers(
        "hamiltonian",
        "Euler's method multiplies by the mass",
        (
            "            p = p - self.step * force(q)\n            q = q + self.step * p / self.mass\n",
            "            p = p - self.step * force(q)\n            q = q + self.step * p * self.mass\n",
        ),
    ),
    numbers(
        "hamiltonian",
        "the last kick is a whole one",
        (
            "            q = q + self.step * p / self.mass\n            p = p - 0.5 * self.step * force(q)\n",
            "            q = q + self.step * p / self.mass\n            p = p - self.step * force(q)\n",
        ),
    ),
)

CAMERA: tuple[Edit, ...] = (
    declared(
        "camera",
        "a camera that is moved has focal length and centre exchanged",
        (
            "            self.focal,\n            self.centre,\n            self.bend,\n",
            "            self.centre,\n            self.focal,\n            self.bend,\n",
        ),
    ),
    declared(
        "camera",
        "without keys the centre is listed before the focal length",
        (
            "        node.focal,\n        node.centre,\n",
            "        node.centre,\n        node.focal,\n",
        ),
    ),
    declared(
        "camera",
        "broken pixels see",
        ("return front & inside & ~self.broken[row, column]", "return front & inside"),
    ),
    declared(
        "camera",
        "rays are computed in 32 bits",
        (
            "        flat = (pixels - self.centre) / self.focal\n",
            "        flat = ((pixels - self.centre) / self.focal).astype(jnp.float32)\n",
        ),
        ("return ahead @ self.rotation\n", "return ahead @ self.rotation.astype(jnp.float32)\n"),
    ),
    numbers("camera", "the fisheye widens the angle", ("jnp.arctan(radius)", "jnp.tan(radius)")),
    numbers(
        "camera",
        "rows and columns of pixels are exchanged",
        ("column, row = jnp.floor(self(points))", "row, column = jnp.floor(self(points))"),
    ),
)

SPEECH: tuple[Edit, ...] = (
    declared(
        "speech",
        "the convolution is computed as the kernel is stored",
        (
            "padded[at : at + x.shape[0]] * self.kernel.astype(self.compute_dtype)[at]\n",
            "(padded[at : at + x.shape[0]] * self.kernel[at]).astype(x.dtype)\n",
        ),
    ),
    declared(
        "speech",
        "nothing is computed again on the way back",
        ("jax.lax.scan(jax.checkpoint(layer), x, arrays)", "jax.lax.scan(layer, x, arrays)"),
    ),
    declared(
        "speech",
        "the scores have no gradient with respect to the tokens",
        ("return self.tokens.T", "return jax.lax.stop_gradient(self.tokens).T"),
    ),
    declared(
        "speech",
        "all blocks begin alike",
        (
            "lambda one: Block.create(size, hidden, dtype, key=one)",
            "lambda _: Block.create(size, hidden, dtype, key=blocks_key)",
        ),
    ),
    numbers(
        "speech",
        "the first frame counts as a repetition",
        (
            "jnp.concatenate([jnp.zeros((1,), bool), token[1:]",
            "jnp.concatenate([jnp.ones((1,), bool), token[1:]",
        ),
    ),
)

STATELESS: tuple[Edit, ...] = (*HAMILTONIAN, *CAMERA, *SPEECH)
