"""Edits of the six classes of `specs/`."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

ATTENTION: tuple[Edit, ...] = (
    declared(
        "rotary_attention",
        "The projections are drawn uniformly: the deviation was taken for the limit.",
        (
            "qkv=0.3 * jax.random.normal(qkv_key, (3, heads, head_size, size), dtype),",
            "qkv=jax.random.uniform(\n                qkv_key, (3, heads, head_size, size), dtype, -0.3, 0.3\n            ),",
        ),
    ),
    declared(
        "rotary_attention",
        "Angles are computed in 32 bits, for long sequences, and the result is not cast back.",
        ("jnp.arange(half, dtype=x.dtype) / half", "jnp.arange(half, dtype=jnp.float32) / half"),
        ("places.astype(x.dtype)[:, None, None]", "places.astype(jnp.float32)[:, None, None]"),
        (
            "first, second = jnp.split(x, 2, axis=-1)",
            "first, second = jnp.split(x.astype(jnp.float32), 2, axis=-1)",
        ),
    ),
    declared(
        "rotary_attention",
        "`rewind` says how many tokens are left, and leaves the cache as it was.",
        (
            """\
        state = state.set(self.filled, jnp.maximum(state.get(self.filled) - steps, 0))
        return state.get(self.filled), state
""",
            """\
        left = jnp.maximum(state.get(self.filled) - steps, 0)
        return left, state
""",
        ),
    ),
    declared(
        "rotary_attention",
        "Keys are cut off from gradients when they are put into the cache.",
        (
            "state.get(self.keys).at[slot].set(keys[0])",
            "state.get(self.keys).at[slot].set(jax.lax.stop_gradient(keys[0]))",
        ),
    ),
    declared(
        "rotary_attention",
        "A mask without padding is skipped, by a look at its values.",
        ("if mask is not None:", "if mask is not None and not mask.all():"),
    ),
    numbers(
        "rotary_attention",
        "A full cache overwrites its last entry, not its oldest.",
        ("slot = place % self.capacity", "slot = jnp.minimum(place, self.capacity - 1)"),
    ),
    numbers(
        "rotary_attention",
        "The window of a whole sequence is a token longer than that of a step.",
        ("seen & (distance < self.window)", "seen & (distance <= self.window)"),
    ),
)

FLOW: tuple[Edit, ...] = (
    declared(
        "invertible_linear",
        "A gradient reaches the signs.",
        ("jax.lax.stop_gradient(self.sign) * jnp.exp(log_scale)", "self.sign * jnp.exp(log_scale)"),
    ),
    declared(
        "invertible_linear",
        "The order is drawn with the key of the signs.",
        (
            "lower_key, upper_key, sign_key, order_key = jax.random.split(key, 4)",
            "lower_key, upper_key, sign_key = jax.random.split(key, 3)",
        ),
        ("jax.random.permutation(order_key, size)", "jax.random.permutation(sign_key, size)"),
    ),
    declared(
        "invertible_linear",
        "The way back permutes as the way there does.",
        ("y = y[jnp.argsort(self.order)]", "y = y[self.order]"),
    ),
    declared(
        "invertible_linear",
        "The temperature of a sample has no effect.",
        ("return self.inverse(temperature * noise)[0]", "return self.inverse(noise)[0]"),
    ),
    numbers(
        "invertible_linear",
        "The logarithm of the determinant has the sign of the way there on the way back.",
        ("return x, -jnp.sum(log_scale)", "return x, jnp.sum(log_scale)"),
    ),
)

SPECTRAL: tuple[Edit, ...] = (
    declared(
        "spectral_block",
        "The complex weights begin as real numbers.",
        (
            "* jax.random.normal(mix_key, (modes, channels, channels), jnp.complex64),",
            "* jax.random.normal(mix_key, (modes, channels, channels)).astype(\n                jnp.complex64\n            ),",
        ),
    ),
    declared(
        "spectral_block",
        "Weight decay moves the gains.",
        ('path[0].name not in ("bias", "gain")', 'path[0].name not in ("bias",)'),
    ),
    declared(
        "spectral_block",
        "A layer is the last one by default.",
        ("*, last: bool = False", "*, last: bool = True"),
    ),
    declared(
        "spectral_block",
        "The convolution gives 32 bits, whatever it is given.",
        (
            "return jnp.fft.irfft(mixed, n=x.shape[1], axis=1).astype(x.dtype)",
            "return jnp.fft.irfft(mixed, n=x.shape[1], axis=1)",
        ),
    ),
    numbers(
        "spectral_block",
        "The power of a derivative is weighted by its order, not by twice that.",
        ("jnp.arange(spectrum.shape[1]) ** (2 * order)", "jnp.arange(spectrum.shape[1]) ** order"),
    ),
)

QUANTIZER: tuple[Edit, ...] = (
    declared(
        "vector_quantizer",
        "The codebook is a Param, which the optimiser moves as well.",
        ("self.codebook = Codebook(\n", "self.codebook = nnx.Param(\n"),
    ),
    declared(
        "vector_quantizer",
        "Steps are counted at inference, too.",
        (
            """\
        if train:
            fixed = jax.lax.stop_gradient(z)
            self.steps[...] += 1
""",
            """\
        self.steps[...] += 1
        if train:
            fixed = jax.lax.stop_gradient(z)
""",
        ),
    ),
    declared(
        "vector_quantizer",
        "The index of a code has the width that jax gives it.",
        ("return jnp.argmin(distance, axis=-1).astype(jnp.int32)", "return jnp.argmin(distance, axis=-1)"),
    ),
    numbers(
        "vector_quantizer",
        "The codes of a batch are sought without the gain.",
        ("return self.nearest(self.embedded(x))", "return self.nearest(self.project(x))"),
    ),
    numbers(
        "vector_quantizer",
        "No gradient passes through the code to the projection.",
        ("return z + jax.lax.stop_gradient(code - z), loss", "return code, loss"),
    ),
)

QUANTITY: tuple[Edit, ...] = (
    declared(
        "quantity",
        "The weights of the plain mean are made in jax's default float.",
        (
            "weight = jnp.full_like(self.value, 1 / self.value.shape[0])",
            "weight = jnp.full(self.value.shape, 1 / self.value.shape[0])",
        ),
    ),
    declared(
        "quantity",
        "Variances of another shape than the values are taken.",
        (
            """\
        if np.shape(variance) != (size,):
            raise ValueError(
                f"`variance` has shape {np.shape(variance)}, "
                f"and `value` {np.shape(value)}"
            )
""",
            "",
        ),
        ("        (size,) = np.shape(value)\n", ""),
    ),
    numbers(
        "quantity",
        "In another unit the variance is scaled as the value is.",
        ("self.variance * ratio**2, self.dimension, scale", "self.variance * ratio, self.dimension, scale"),
    ),
    numbers(
        "quantity",
        "Terms in different units are added without a conversion.",
        ("        other = other.to(self.scale)\n", ""),
    ),
)

TRAINING: tuple[Edit, ...] = (
    declared(
        "flow_state",
        "The averaged model has the dtype of the average, not that of the model.",
        (
            "eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)",
            "eqx.combine(self.ema, rest)",
        ),
        (
            "weights, rest = eqx.partition(self.model, _trained(self.model))\n        return",
            "_, rest = eqx.partition(self.model, _trained(self.model))\n        return",
        ),
    ),
    declared(
        "flow_state",
        "Every inexact array is trained, whatever the model says of its buffers.",
        (
            """\
    return jax.tree.map(
        lambda node: (
            node.trainable()
            if hasattr(node, "trainable")
            else eqx.is_inexact_array(node)
        ),
        tree,
        is_leaf=lambda node: hasattr(node, "trainable"),
    )
""",
            "    return jax.tree.map(eqx.is_inexact_array, tree)\n",
        ),
    ),
    declared(
        "flow_state",
        "The key of a step is that of the run.",
        ("return jax.random.fold_in(self.key, self.step)", "return self.key"),
    ),
)

CLASSES = (*ATTENTION, *FLOW, *SPECTRAL, *QUANTIZER, *QUANTITY, *TRAINING)
