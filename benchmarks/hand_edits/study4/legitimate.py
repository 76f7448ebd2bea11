"""Changes that are right: refactorings, equivalent formulas, new arguments, methods and properties, another initialiser."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "rotary",
        "a row is divided by a root in place of multiplied by its reciprocal",
        (
            "return z * jax.lax.rsqrt(jnp.mean(z**2, axis=-1, keepdims=True) + 1e-6)",
            "return z / jnp.sqrt(jnp.mean(z**2, axis=-1, keepdims=True) + 1e-6)",
        ),
    ),
    legitimate(
        "rotary",
        "what is seen of the past is a comparison of positions",
        (
            "            scores = jnp.where(\n"
            "                jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf\n"
            "            )\n",
            "            positions = jnp.arange(length)\n"
            "            past = positions[:, None] >= positions[None, :]\n"
            "            scores = jnp.where(past, scores, -jnp.inf)\n",
        ),
    ),
    legitimate(
        "rotary",
        "attention takes a temperature, 1 by default",
        (
            '        self, x: Float[Array, "length size"], mask: Bool[Array, " length"] | None = None\n'
            '    ) -> Float[Array, "heads length length"]:\n',
            '        self,\n        x: Float[Array, "length size"],\n'
            '        mask: Bool[Array, " length"] | None = None,\n'
            "        *,\n        temperature: float = 1.0,\n"
            '    ) -> Float[Array, "heads length length"]:\n',
        ),
        ("/ math.sqrt(keys.shape[-1])", "/ (temperature * math.sqrt(keys.shape[-1]))"),
    ),
    legitimate(
        "replay",
        "a new transition replaces the fields that change",
        ("from dataclasses import dataclass\n", "from dataclasses import dataclass, replace\n"),
        (
            "        return Replay(\n"
            "            self.observations.at[position].set(observation),\n"
            "            self.rewards.at[position].set(reward),\n"
            "            self.priorities.at[position].set(priority),\n"
            "            self.written + 1,\n"
            "            self.alpha,\n            self.beta,\n            self.newest_first,\n        )\n",
            "        return replace(\n            self,\n"
            "            observations=self.observations.at[position].set(observation),\n"
            "            rewards=self.rewards.at[position].set(reward),\n"
            "            priorities=self.priorities.at[position].set(priority),\n"
            "            written=self.written + 1,\n        )\n",
        ),
    ),
    legitimate(
        "replay",
        "a property says how many transitions are stored",
        (
            '    def ordered(self) -> Float[Array, " capacity"]:\n',
            '    @property\n    def stored(self) -> Int32[Array, ""]:\n'
            '        """How many transitions there are."""\n'
            "        return jnp.minimum(self.written, self.rewards.shape[0])\n\n"
            '    def ordered(self) -> Float[Array, " capacity"]:\n',
        ),
    ),
    legitimate(
        "replay",
        "powers of priorities are taken by logarithms",
        (
            "jnp.where(stored, self.priorities, 1) ** self.alpha",
            "jnp.exp(self.alpha * jnp.log(jnp.where(stored, self.priorities, 1)))",
        ),
    ),
    legitimate(
        "quantizer",
        "distances leave out what is the same for all entries",
        (
            "distances = jnp.sum((z[:, None] - codebook[None]) ** 2, axis=-1)",
            "distances = jnp.sum(codebook**2, axis=-1) - 2 * z @ codebook.T",
        ),
    ),
    legitimate(
        "quantizer",
        "a method decodes indices",
        (
            '    def perplexity(self) -> Float[Array, ""]:\n',
            '    def decoded(self, indices: Int32[Array, " batch"]) -> Float[Array, "batch size"]:\n'
            '        """What the call makes of vectors that choose these entries."""\n'
            "        y = self.codebook[...][indices] @ self.expand[...].T\n"
            "        return y if self.bias is None else y + self.bias[...]\n\n"
            '    def perplexity(self) -> Float[Array, ""]:\n',
        ),
    ),
    legitimate(
        "echo",
        "the history is the new sample and the others but the last",
        (
            "jnp.roll(state.get(self.history), 1).at[0].set(far)",
            "jnp.concatenate([far[None], state.get(self.history)[:-1]])",
        ),
    ),
    legitimate(
        "echo",
        "the mean power is read once, and cast to the dtype that it has",
        (
            "            self.smoothing * state.get(self.power) + (1 - self.smoothing) * far**2,\n        )\n",
            "            self.smoothing * state.get(self.power) + (1 - self.smoothing) * far**2,\n        )\n"
            "        power = state.get(self.power).astype(far.dtype)\n",
        ),
        ("                state.get(self.power) * state.get", "                power * state.get"),
    ),
    legitimate(
        "diffusion",
        "the sigmoid unit is spelt out",
        ("y = self.outer @ jax.nn.silu(hidden)", "y = self.outer @ (hidden * jax.nn.sigmoid(hidden))"),
    ),
    legitimate(
        "diffusion",
        "the modulation begins at 0, as is usual",
        (
            "                0.1 * jax.random.normal(modulate_key, (2 * hidden, hidden), dtype)\n",
            "                jnp.zeros((2 * hidden, hidden), dtype)\n",
        ),
    ),
    legitimate(
        "diffusion",
        "the weight of a loss is a sum of two reciprocals",
        (
            "weight = (sigma**2 + self.model.spread**2) / (sigma * self.model.spread) ** 2",
            "weight = 1 / self.model.spread**2 + 1 / sigma**2",
        ),
    ),
    legitimate(
        "mixer",
        "the targets are picked by indexing",
        (
            "jnp.take_along_axis(log_p, targets[:, None], axis=-1)[:, 0]",
            "log_p[jnp.arange(targets.shape[0]), targets]",
        ),
    ),
    legitimate(
        "mixer",
        "both ways through the layers begin with one partition",
        (
            "        if keys is None:\n            arrays, static = eqx.partition(self.blocks, eqx.is_array)\n",
            "        arrays, static = eqx.partition(self.blocks, eqx.is_array)\n        if keys is None:\n",
        ),
        ("            arrays_2, static_2 = eqx.partition(self.blocks, eqx.is_array)\n\n", "\n"),
        ("block = eqx.combine(block, static_2)", "block = eqx.combine(block, static)"),
        ("(arrays_2, keys)", "(arrays, keys)"),
    ),
)
