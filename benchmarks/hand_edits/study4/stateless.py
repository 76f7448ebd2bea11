"""Edits in an attention layer, a replay buffer and a language model: calls, methods, and branches behind flags."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

ROTARY: tuple[Edit, ...] = (
    declared(
        "rotary",
        "the frequencies are read without a stop of the gradient",
        (
            "* jax.lax.stop_gradient(\n            self.frequencies\n        ).astype(z.dtype)",
            "* self.frequencies.astype(z.dtype)",
        ),
    ),
    declared(
        "rotary",
        "without a key a fixed one drops",
        (
            "        if key is not None and self.rate > 0:\n",
            "        if self.rate > 0:\n            key = jax.random.key(0) if key is None else key\n",
        ),
    ),
    declared(
        "rotary",
        "the mask is asked only where attention is not causal",
        ("        if mask is not None:\n", "        elif mask is not None:\n"),
    ),
    declared(
        "rotary",
        "the flag of the norm switches the sinks as well",
        (
            "jnp.zeros((heads,), dtype) if use_sinks else None",
            "jnp.zeros((heads,), dtype) if qk_norm else None",
        ),
    ),
    declared(
        "rotary",
        "the angles are computed in 32 bits, and so is all that follows",
        (
            "jnp.arange(z.shape[1], dtype=z.dtype)[:, None]",
            "jnp.arange(z.shape[1], dtype=jnp.float32)[:, None]",
        ),
        (").astype(z.dtype)\n", ").astype(jnp.float32)\n"),
        (
            "first, second = jnp.split(z, 2, axis=-1)",
            "first, second = jnp.split(z.astype(jnp.float32), 2, axis=-1)",
        ),
    ),
    numbers(
        "rotary",
        "pairs are turned the other way",
        (
            "[first * cosine - second * sine, first * sine + second * cosine]",
            "[first * cosine + second * sine, second * cosine - first * sine]",
        ),
    ),
    numbers(
        "rotary",
        "the first position is cut off in place of the sink",
        (
            "return jax.nn.softmax(scores, axis=-1)[..., :length]",
            "return jax.nn.softmax(scores, axis=-1)[..., -length:]",
        ),
    ),
)

REPLAY: tuple[Edit, ...] = (
    declared(
        "replay",
        "new priorities swap the two exponents",
        (
            "            self.written,\n            self.alpha,\n            self.beta,\n",
            "            self.written,\n            self.beta,\n            self.alpha,\n",
        ),
    ),
    declared(
        "replay",
        "the paths name rewards and priorities the wrong way round",
        (
            '        (GetAttrKey("rewards"), node.rewards),\n'
            '        (GetAttrKey("priorities"), node.priorities),\n',
            '        (GetAttrKey("priorities"), node.rewards),\n'
            '        (GetAttrKey("rewards"), node.priorities),\n',
        ),
    ),
    declared(
        "replay",
        "the order of the rewards is forgotten when jax rebuilds",
        (
            "        node.alpha,\n        node.beta,\n        node.newest_first,\n    )\n",
            "        node.alpha,\n        node.beta,\n    )\n",
        ),
        ("), (node.alpha, node.beta, node.newest_first)\n", "), (node.alpha, node.beta)\n"),
        (
            '    fields["alpha"], fields["beta"], fields["newest_first"] = aux\n',
            '    fields["alpha"], fields["beta"] = aux\n    fields["newest_first"] = False\n',
        ),
    ),
    declared(
        "replay",
        "the priority of a new transition is a Python number",
        (
            "priority = jnp.maximum(jnp.max(self.priorities), 1.0)",
            "priority = max(float(jnp.max(self.priorities)), 1.0)",
        ),
    ),
    declared(
        "replay",
        "the noise is drawn with the key of the indices",
        ("noise = jax.random.uniform(noise_key,", "noise = jax.random.uniform(count_key,"),
    ),
    declared(
        "replay",
        "the noise has jax's default dtype",
        (
            "jax.random.uniform(noise_key, weights.shape, weights.dtype, 0.9, 1.1)",
            "jax.random.uniform(noise_key, weights.shape, minval=0.9, maxval=1.1)",
        ),
    ),
    numbers(
        "replay",
        "a new transition wraps at the size of an observation",
        (
            "position = self.written % self.rewards.shape[0]",
            "position = self.written % self.observations.shape[-1]",
        ),
    ),
    numbers(
        "replay",
        "the newest first are those of the storage flipped, not of the order",
        (
            "return jnp.flip(rewards) if self.newest_first else rewards",
            "return jnp.flip(self.rewards) if self.newest_first else rewards",
        ),
    ),
)

MIXER: tuple[Edit, ...] = (
    declared(
        "mixer",
        "all layers drop with the key of the first",
        ("x = block(x, key=one)", "x = block(x, key=keys[0])"),
    ),
    declared(
        "mixer",
        "the layers are not computed again on the way back, where none drops",
        ("jax.lax.scan(jax.checkpoint(layer), x, arrays)", "jax.lax.scan(layer, x, arrays)"),
    ),
    declared(
        "mixer",
        "no gradient reaches the embedding through the head",
        ("return self.embedding.T", "return jax.lax.stop_gradient(self.embedding.T)"),
    ),
    declared(
        "mixer",
        "two layers are made, whatever the depth",
        ("(jax.random.split(blocks_key, depth))", "(jax.random.split(blocks_key))"),
    ),
    numbers(
        "mixer",
        "logits are cut off at the cap",
        ("return 30 * jnp.tanh(logits / 30)", "return jnp.clip(logits, -30, 30)"),
    ),
    numbers(
        "mixer",
        "the mean is taken over the positions",
        (
            "x = x - jnp.mean(x, axis=-1, keepdims=True)",
            "x = x - jnp.mean(x, axis=0, keepdims=True)",
        ),
    ),
)

STATELESS: tuple[Edit, ...] = (*ROTARY, *REPLAY, *MIXER)
