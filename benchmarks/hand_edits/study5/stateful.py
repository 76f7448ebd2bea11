"""Edits in a streaming convolution, a layer of a flow, and a training: what they hold from call to call, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

STREAMING: tuple[Edit, ...] = (
    declared(
        "streaming",
        "a single sample is not counted",
        ("        self.heard[...] += 1\n", ""),
    ),
    declared(
        "streaming",
        "a reset forgets the level as well",
        (
            "        self.heard[...] = jnp.zeros_like(self.heard[...])\n",
            "        self.heard[...] = jnp.zeros_like(self.heard[...])\n"
            "        if self.level is not None:\n            self.level[...] = jnp.ones_like(self.level[...])\n",
        ),
    ),
    declared(
        "streaming",
        "the level is made in the default dtype",
        ("nnx.BatchStat(jnp.ones((channels,), dtype))", "nnx.BatchStat(jnp.ones((channels,)))"),
    ),
    declared(
        "streaming",
        "the bias is left out beside the input",
        ("        if self.bias is not None:\n", "        if self.bias is not None and not self.residual:\n"),
    ),
    numbers(
        "streaming",
        "a single sample meets the taps in reverse",
        (
            "y = jnp.sum(window * self.taps[...], axis=0)",
            "y = jnp.sum(window * self.taps[...][::-1], axis=0)",
        ),
    ),
)

ACTNORM: tuple[Edit, ...] = (
    declared(
        "actnorm",
        "the first batch is never marked as such",
        ("            state = state.set(self.begun, jnp.ones_like(state.get(self.begun)))\n", ""),
    ),
    declared(
        "actnorm",
        "whether it is inference belongs to the treedef",
        ("    inference: bool\n", "    inference: bool = eqx.field(static=True)\n"),
    ),
    declared(
        "actnorm",
        "the mean change of volume is given in 32 bits",
        ("(jnp.mean(entries) if per_entry", "(jnp.mean(entries, dtype=jnp.float32) if per_entry"),
    ),
    declared(
        "actnorm",
        "the rotation begins as any matrix of the same spread",
        (
            "            rotation=jax.nn.initializers.orthogonal()(\n"
            "                key, (size, size), np.promote_types(dtype, np.float32)\n"
            "            ).astype(dtype),\n",
            "            rotation=jax.nn.initializers.lecun_normal()(key, (size, size), dtype),\n",
        ),
    ),
    numbers(
        "actnorm",
        "the shift is added after the scale, both ways",
        (
            "return (y + self.shift) * jnp.exp(self.scales())",
            "return y * jnp.exp(self.scales()) + self.shift",
        ),
        (
            "return z * jnp.exp(-self.scales()) - self.shift",
            "return (z - self.shift) * jnp.exp(-self.scales())",
        ),
    ),
    numbers(
        "actnorm",
        "the deviation is that of a sample",
        ("jnp.std(x, axis=0)", "jnp.std(x, axis=0, ddof=1)"),
    ),
)

CONTRAST: tuple[Edit, ...] = (
    declared(
        "contrast",
        "the key of a step follows the place in the queue",
        ("jax.random.fold_in(self.key, self.step)", "jax.random.fold_in(self.key, self.position)"),
    ),
    declared(
        "contrast",
        "both views drop the same units",
        ("return jax.random.split(self.step_key)", "return jnp.stack([self.step_key, self.step_key])"),
    ),
    declared(
        "contrast",
        "the temperature decays",
        ('not in ("offset", "log_temperature")', 'not in ("offset", "temperature")'),
    ),
    declared(
        "contrast",
        "the model is stored as it was given",
        ("        model = _copied(model)\n", ""),
    ),
    declared(
        "contrast",
        "the nearest code is marked in 32 bits",
        (
            "            alike = jnp.where(alike == jnp.max(alike), alike, 0.1 * alike)\n",
            "            nearest = jax.nn.one_hot(jnp.argmax(alike), alike.shape[0], dtype=jnp.float32)\n"
            "            alike = alike.astype(jnp.float32) * (0.1 + 0.9 * nearest)\n",
        ),
    ),
    numbers(
        "contrast",
        "a high temperature sharpens",
        ("jnp.exp(-self.log_temperature)", "jnp.exp(self.log_temperature)"),
    ),
)

STATEFUL = (*STREAMING, *ACTNORM, *CONTRAST)
