"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas, another activation."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "catchment",
        "the share of a river has another name",
        ("        share = 0.5 * jax.nn.softmax(", "        downhill = 0.5 * jax.nn.softmax("),
        ("flow = runoff + share @ flow", "flow = runoff + downhill @ flow"),
    ),
    legitimate(
        "catchment",
        "how much of it is frozen is an argument",
        (
            '        self, rain: Float[Array, " basins"], *, frozen: bool = False\n'
            '    ) -> Float[Array, " basins"]:\n'
            '        """How much of the rain',
            "        self,\n"
            '        rain: Float[Array, " basins"],\n'
            "        *,\n"
            "        frozen: bool = False,\n"
            "        through: float = 0.1,\n"
            '    ) -> Float[Array, " basins"]:\n'
            '        """How much of the rain',
        ),
        ("(0.1 if frozen else 1.0)", "(through if frozen else 1.0)"),
    ),
    legitimate(
        "catchment",
        "a property tells how many basins there are",
        (
            "    def taken(\n",
            "    @property\n"
            "    def basins(self) -> int:\n"
            '        """How many basins there are."""\n'
            "        return self.moisture.shape[0]\n\n"
            "    def taken(\n",
        ),
    ),
    legitimate(
        "arm",
        "a method tells how far the tip is from a target",
        (
            "    def wandered(\n",
            "    def distance(\n"
            '        self, angles: Float[Array, " joints"], target: Float[Array, " 2"]\n'
            '    ) -> Float[Array, ""]:\n'
            '        """How far the tip is from a target."""\n'
            "        return jnp.sqrt(jnp.sum((self(angles) - target) ** 2) + 1e-6)\n\n"
            "    def wandered(\n",
        ),
    ),
    legitimate(
        "arm",
        "an arm has a name, which has a default",
        (
            "    upright: bool = eqx.field(static=True, default=True)\n",
            "    upright: bool = eqx.field(static=True, default=True)\n"
            '    label: str = eqx.field(static=True, default="arm")\n',
        ),
    ),
    legitimate(
        "arm",
        "the square is inverted by its Cholesky factor",
        (
            "jnp.linalg.solve(square, target - self(angles))",
            'jax.scipy.linalg.solve(square, target - self(angles), assume_a="pos")',
        ),
    ),
    legitimate(
        "wavefront",
        "two layers are unrolled",
        (
            "jax.lax.scan(jax.checkpoint(step), modes, arrays)",
            "jax.lax.scan(jax.checkpoint(step), modes, arrays, unroll=2)",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "cochlea",
        "samples are counted first",
        ("        state = state.set(self.heard, state.get(self.heard) + 1)\n", ""),
        (
            "        state = state.set(\n            self.loudness,\n            self.memory * state",
            "        state = state.set(self.heard, state.get(self.heard) + 1)\n"
            "        state = state.set(\n            self.loudness,\n            self.memory * state",
        ),
    ),
    legitimate(
        "cochlea",
        "nerves fire by another activation",
        ("jax.nn.softplus(excited)", "jax.nn.gelu(excited)"),
    ),
    legitimate(
        "cochlea",
        "a docstring says what a margin is",
        (
            '        """What of a tone is heard above what rings already."""\n',
            '        """What of a tone is heard above what rings already.\n\n'
            "        `margin` is the logarithm of how far above it must be.\n"
            '        """\n',
        ),
    ),
    legitimate(
        "taste",
        "the logit of what is sold out is an argument",
        (
            '    def chances(\n        self, person: Int32[Array, ""], *, fair: bool = False\n'
            '    ) -> Float[Array, " things"]:\n',
            "    def chances(\n"
            '        self, person: Int32[Array, ""], *, fair: bool = False, lowest: float = -30.0\n'
            '    ) -> Float[Array, " things"]:\n',
        ),
        ("jnp.where(self.sold[...], logits, -30.0)", "jnp.where(self.sold[...], logits, lowest)"),
    ),
    legitimate(
        "taste",
        "vectors are multiplied by the inverse of their length",
        (
            "            vectors = vectors / jnp.sqrt(\n"
            "                jnp.sum(vectors**2, axis=1, keepdims=True) + 1e-3\n"
            "            )\n",
            "            squares = jnp.sum(jnp.square(vectors), axis=1, keepdims=True)\n"
            "            vectors = vectors * jax.lax.rsqrt(squares + 1e-3)\n",
        ),
    ),
    legitimate(
        "taste",
        "a method tells how alike a thing and all others are",
        (
            "    def taken(self,",
            '    def alike(self, thing: Int32[Array, ""]) -> Float[Array, " things"]:\n'
            '        """How alike a thing and all others are."""\n'
            "        vectors = self.vectors()\n"
            "        return vectors @ vectors[jnp.clip(thing, 0, vectors.shape[0] - 1)]\n\n"
            "    def taken(self,",
        ),
    ),
    legitimate(
        "molecule",
        "what atoms are told is one einsum",
        (
            "told = strength @ jnp.tanh(x @ self.send) / degree",
            'told = jnp.einsum("ab,bw->aw", strength / degree, jnp.tanh(x @ self.send))',
        ),
    ),
    legitimate(
        "molecule",
        "a prediction may lose a part of what is known",
        (
            "        *,\n        standard: bool = False,\n",
            "        *,\n        standard: bool = False,\n        key: PRNGKeyArray | None = None,\n",
        ),
        ("        found = model(atoms, bonds)\n", "        found = model(atoms, bonds, key=key)\n"),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
