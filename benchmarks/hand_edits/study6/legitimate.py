"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another default."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "hamiltonian",
        "half a step is a local",
        (
            "        else:\n            p = p - 0.5 * self.step * force(q)\n"
            "            q = q + self.step * p / self.mass\n            p = p - 0.5 * self.step * force(q)\n",
            "        else:\n            half = 0.5 * self.step\n            p = p - half * force(q)\n"
            "            q = q + self.step * p / self.mass\n            p = p - half * force(q)\n",
        ),
    ),
    legitimate(
        "hamiltonian",
        "a property says how many coordinates there are",
        (
            '    def potential(self, q: Float[Array, " size"])',
            '    @property\n    def size(self) -> int:\n        """How many coordinates there are."""\n'
            "        return self.rest.shape[0]\n\n"
            '    def potential(self, q: Float[Array, " size"])',
        ),
    ),
    legitimate(
        "hamiltonian",
        "the loop of a rollout can be unrolled",
        ("steps: int = 3\n", "steps: int = 3, unroll: int = 1\n"),
        ("None, length=steps)[1]", "None, length=steps, unroll=unroll)[1]"),
    ),
    legitimate(
        "camera",
        "points are turned by an einsum",
        (
            "seen = (points - self.place) @ self.rotation.T",
            'seen = jnp.einsum("ni,ji->nj", points - self.place, self.rotation)',
        ),
    ),
    legitimate(
        "camera",
        "a camera that is moved replaces the place",
        ("from dataclasses import dataclass\n", "from dataclasses import dataclass, replace\n"),
        (
            "return Camera(\n            self.rotation,\n            self.place + shift,\n            self.focal,\n"
            "            self.centre,\n            self.bend,\n            self.broken,\n            self.lens,\n"
            "            self.near,\n        )\n",
            "return replace(self, place=self.place + shift)\n",
        ),
    ),
    legitimate(
        "camera",
        "a method says where the camera looks",
        (
            '    def moved(self, shift: Float[Array, " 3"]',
            '    def ahead(self) -> Float[Array, " 3"]:\n        """The direction in which the camera looks."""\n'
            "        return self.rotation[2]\n\n"
            '    def moved(self, shift: Float[Array, " 3"]',
        ),
    ),
    legitimate(
        "spiking",
        "neurons come to rest in a loop",
        (
            "        self.voltage[...] = jnp.zeros_like(self.voltage[...])\n"
            "        self.fired[...] = jnp.zeros_like(self.fired[...])\n"
            "        self.ticks[...] = jnp.zeros_like(self.ticks[...])\n",
            "        for one in (self.voltage, self.fired, self.ticks):\n"
            "            one[...] = jnp.zeros_like(one[...])\n",
        ),
    ),
    legitimate(
        "spiking",
        "the sign is read once",
        (
            "        current = self.gain[...] * (x @ self.weight[...])\n",
            "        sign = jax.lax.stop_gradient(self.sign[...])\n"
            "        current = self.gain[...] * (x @ self.weight[...])\n",
        ),
        ("(jax.lax.stop_gradient(self.sign[...]) * self.fired[...])\n", "(sign * self.fired[...])\n"),
        ("return jax.lax.stop_gradient(self.sign[...]) * self.fired[...]", "return sign * self.fired[...]"),
    ),
    legitimate(
        "agent",
        "the offset is added in a statement",
        (
            "        hidden = x @ self.trunk.T\n"
            "        return jax.nn.elu(hidden if self.offset is None else hidden + self.offset)\n",
            "        hidden = x @ self.trunk.T\n        if self.offset is not None:\n"
            "            hidden = hidden + self.offset\n        return jax.nn.elu(hidden)\n",
        ),
    ),
    legitimate(
        "agent",
        "the noise has an optional temperature",
        (
            "        key: PRNGKeyArray | None = None,\n    ) -> tuple[",
            "        key: PRNGKeyArray | None = None,\n        temperature: float = 1.0,\n    ) -> tuple[",
        ),
        (
            "mean = mean + jnp.exp(self.log_deviation) * jax.random.normal(",
            "mean = mean + temperature * jnp.exp(self.log_deviation) * jax.random.normal(",
        ),
    ),
    legitimate(
        "agent",
        "observations are divided by a root",
        (
            "(x - state.get(self.mean)) * jax.lax.rsqrt(variance + 1e-4),",
            "(x - state.get(self.mean)) / jnp.sqrt(variance + 1e-4),",
        ),
    ),
    legitimate(
        "teacher",
        "the teacher casts to the dtype that it has anyway",
        ("jax.nn.softmax(self.averaged()(x))", "jax.nn.softmax(self.averaged()(x)).astype(x.dtype)"),
    ),
    legitimate(
        "teacher",
        "a method says how sure the teacher is",
        (
            '    def loss(self, x: Float[Array, " size"])',
            '    def confidence(self, x: Float[Array, " size"]) -> Float[Array, ""]:\n'
            '        """The largest probability that the teacher gives."""\n'
            "        return jnp.max(self.teach(x))\n\n"
            '    def loss(self, x: Float[Array, " size"])',
        ),
    ),
    legitimate(
        "speech",
        "training hides fewer frames by default",
        ("        masked: float = 0.2,\n", "        masked: float = 0.15,\n"),
    ),
    legitimate(
        "speech",
        "the logarithms are written out",
        (
            "return jax.nn.log_softmax(x @ self.head, axis=1)",
            "scores = x @ self.head\n        return scores - jax.nn.logsumexp(scores, axis=1, keepdims=True)",
        ),
    ),
)
