"""Edits in a quantiser, an adaptive filter and a training: what they hold from call to call, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

QUANTIZER: tuple[Edit, ...] = (
    declared(
        "quantizer",
        "comparing directions normalises the codebook itself",
        (
            "            codebook = codebook / (\n"
            "                jnp.linalg.norm(codebook, axis=-1, keepdims=True) + 1e-6\n"
            "            )\n",
            "            codebook = codebook / (\n"
            "                jnp.linalg.norm(codebook, axis=-1, keepdims=True) + 1e-6\n"
            "            )\n"
            "            self.codebook[...] = codebook\n",
        ),
    ),
    declared(
        "quantizer",
        "the entries replace the vectors, without a gradient straight through",
        ("z = z + jax.lax.stop_gradient(nearest - z)", "z = nearest"),
    ),
    declared(
        "quantizer",
        "the choice of entries is counted in 32 bits",
        (
            "jax.nn.one_hot(indices, self.usage[...].shape[0], dtype=z.dtype)",
            "jax.nn.one_hot(indices, self.usage[...].shape[0], dtype=jnp.float32)",
        ),
        ("means = chosen.T @ z /", "means = chosen.T @ z.astype(jnp.float32) /"),
        (
            "moved = self.decay * self.codebook[...] + (1 - self.decay) * means",
            "moved = self.decay * self.codebook[...].astype(jnp.float32) + (1 - self.decay) * means",
        ),
        (
            "jnp.where(counts[:, None] > 0, moved, self.codebook[...])",
            "jnp.where(counts[:, None] > 0, moved, self.codebook[...].astype(jnp.float32))",
        ),
        (
            "self.usage[...] = self.decay * self.usage[...] + (1 - self.decay) * counts",
            "usage = self.decay * self.usage[...].astype(jnp.float32)\n"
            "        self.usage[...] = usage + (1 - self.decay) * counts",
        ),
    ),
    numbers(
        "quantizer",
        "the entropy is in bits",
        ("jnp.log(shares + 1e-9)", "jnp.log2(shares + 1e-9)"),
    ),
)

ECHO: tuple[Edit, ...] = (
    declared(
        "echo",
        "a prediction does not hand the state back",
        (
            '    ) -> tuple[Float[Array, ""], eqx.nn.State]:\n'
            '        """The echo of these samples of the far signal, the newest first."""\n'
            "        return state.get(self.filter) @ samples, state\n",
            '    ) -> Float[Array, ""]:\n'
            '        """The echo of these samples of the far signal, the newest first."""\n'
            "        return state.get(self.filter) @ samples\n",
        ),
    ),
    declared(
        "echo",
        "a forgotten history has 32 bits",
        (
            "jnp.zeros_like(state.get(self.history))",
            "jnp.zeros(state.get(self.history).shape, jnp.float32)",
        ),
    ),
    declared(
        "echo",
        "no gradient reaches the step size",
        ("rate = jnp.exp(self.log_step) / (", "rate = jax.lax.stop_gradient(jnp.exp(self.log_step)) / ("),
    ),
    numbers(
        "echo",
        "the leak shrinks the step as well",
        (
            "self.leak * state.get(self.filter) + rate * limited * samples",
            "self.leak * (state.get(self.filter) + rate * limited * samples)",
        ),
    ),
)

DIFFUSION: tuple[Edit, ...] = (
    declared(
        "diffusion",
        "the noise is drawn with the key of the step",
        (
            "noise = jax.random.normal(key, clean.shape, clean.dtype)",
            "noise = jax.random.normal(self.step_key, clean.shape, clean.dtype)",
        ),
    ),
    declared(
        "diffusion",
        "the average begins as the arrays of the model",
        (
            "ema=_widened(eqx.filter(model, _trained(model))),",
            "ema=eqx.filter(model, _trained(model)),",
        ),
    ),
    declared(
        "diffusion",
        "the averaged model has the dtype of the average",
        (
            "return eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)",
            "return eqx.combine(self.ema, rest)",
        ),
        (
            "        weights, rest = eqx.partition(self.model, _trained(self.model))\n        return",
            "        _, rest = eqx.partition(self.model, _trained(self.model))\n        return",
        ),
    ),
    declared(
        "diffusion",
        "the optimiser moves every float array, the frequencies among them",
        (
            "    return jax.tree.map(\n"
            "        lambda node: (\n"
            "            node.trainable()\n"
            '            if hasattr(node, "trainable")\n'
            "            else eqx.is_inexact_array(node)\n"
            "        ),\n"
            "        tree,\n"
            '        is_leaf=lambda node: hasattr(node, "trainable"),\n'
            "    )\n",
            "    return jax.tree.map(eqx.is_inexact_array, tree)\n",
        ),
    ),
    declared(
        "diffusion",
        "the number of steps begins with a weak type",
        ("step=jnp.zeros((), jnp.int32),", "step=jnp.asarray(0),"),
    ),
)

STATEFUL: tuple[Edit, ...] = (*QUANTIZER, *ECHO, *DIFFUSION)
