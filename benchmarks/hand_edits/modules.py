"""Edits of other Equinox modules: attention, couplings, filters, corrections, modules of modules."""

from benchmarks.hand_edits.edit import declared, numbers

MODULES = (
    declared(
        "coupling",
        "The map back scales before it subtracts, so that it is no inverse.",
        ("(changed - added) * jnp.exp(-log_factor)", "changed * jnp.exp(-log_factor) - added"),
    ),
    declared(
        "coupling",
        "Both matrices are drawn with the same key.",
        ("shift_key, (half, half), dtype\n", "scale_key, (half, half), dtype\n"),
    ),
    declared(
        "coupling",
        "The offset is left out on the way back.",
        ("if self.offset is not None:", "if self.offset is not None and not inverse:"),
    ),
    declared(
        "key_cache",
        "The mask is no longer kept from the optimiser.",
        ('("past_keys", "past_values", "mask")', '("past_keys", "past_values")'),
    ),
    declared(
        "key_cache",
        "The stored keys are detached, as if they were a buffer.",
        ("            self.past_keys @ (", "            jax.lax.stop_gradient(self.past_keys) @ ("),
    ),
    declared(
        "key_cache",
        "The stored values are those of the caller, neither copied nor cast.",
        ("past_values=_real(past_values, asked)", "past_values=past_values"),
    ),
    numbers(
        "key_cache",
        "The scores are divided by the size, without the square root.",
        ("math.sqrt(self.past_keys.shape[1])", "self.past_keys.shape[1]"),
    ),
    numbers(
        "key_cache",
        "The scores are scaled by the length of the cache, not by the size of a key.",
        ("math.sqrt(self.past_keys.shape[1])", "math.sqrt(self.past_keys.shape[0])"),
    ),
    declared(
        "leaky_cell",
        "The rate is the logit itself.",
        ("return jax.nn.sigmoid(self.logit)", "return self.logit"),
    ),
    declared(
        "leaky_cell",
        "The bias is left out of the drive.",
        (" + self.bias)", ")"),
    ),
    declared(
        "leaky_cell",
        "NumPy computes the hyperbolic tangent.",
        ("drive = jnp.tanh(", "drive = np.tanh("),
    ),
    declared(
        "leaky_cell",
        "The recurrent weights start at a tenth of an orthogonal matrix.",
        ("orthogonal()(", "orthogonal(0.1)("),
    ),
    numbers(
        "leaky_cell",
        "The rate says how much is new, not how much is kept.",
        (
            "return self.rate * hidden + (1 - self.rate) * drive",
            "return (1 - self.rate) * hidden + self.rate * drive",
        ),
    ),
    numbers(
        "leaky_cell",
        "The recurrent weights are transposed.",
        ("self.weight_hidden @ hidden", "hidden @ self.weight_hidden"),
    ),
    declared(
        "low_rank_linear",
        "The correction does not begin as zero.",
        (
            "up=jnp.zeros((out_features, rank), dtype)",
            "up=jax.random.normal(jax.random.fold_in(key, 1), (out_features, rank), dtype)",
        ),
    ),
    declared(
        "low_rank_linear",
        "No gradient passes through the base to what lies before it.",
        ("return self.base(x) +", "return jax.lax.stop_gradient(self.base(x)) +"),
    ),
    declared(
        "low_rank_linear",
        "The flag that freezes the base is read the wrong way round.",
        ('but=("base",) if self.freeze_base else ()', 'but=() if self.freeze_base else ("base",)'),
    ),
    declared(
        "low_rank_linear",
        "The factor of the correction is stored and never used.",
        ("self.scale * (self.up @ (self.down @ x))", "self.up @ (self.down @ x)"),
    ),
    declared(
        "max_norm",
        "The gain is made with one entry, which broadcasting hides.",
        ("gain=jnp.ones((size,), dtype)", "gain=jnp.ones((1,), dtype)"),
    ),
    declared(
        "max_norm",
        "A floor of zero is let through.",
        ("if not (self.floor > 0)", "if not (self.floor >= 0)"),
    ),
    declared(
        "max_norm",
        "Python's `max` takes the place of `jnp.maximum`, and asks a traced array for its truth.",
        ("jnp.maximum(jnp.max(jnp.abs(x)), self.floor)", "max(jnp.max(jnp.abs(x)), self.floor)"),
    ),
    numbers(
        "max_norm",
        "The largest entry is taken without its absolute value.",
        ("jnp.max(jnp.abs(x))", "jnp.max(x)"),
    ),
    numbers(
        "positive_scale",
        "The scale is the exponential, not the softplus, of the parameter.",
        ("jax.nn.softplus(self.raw)", "jnp.exp(self.raw)"),
    ),
    numbers(
        "positive_scale",
        "The call scales by the unconstrained parameter.",
        ("return self.scale * x", "return self.raw * x"),
    ),
    declared(
        "random_features",
        "The frequencies come from a constant key, not from the stored one.",
        (
            "jax.random.normal(self.frequency_key, shape, x.dtype)",
            "jax.random.normal(jax.random.key(0), shape, x.dtype)",
        ),
    ),
    declared(
        "random_features",
        "The width is kept from the optimiser, together with the key.",
        ('not in ("frequency_key",)', 'not in ("frequency_key", "width")'),
    ),
    numbers(
        "random_features",
        "The input is multiplied by the width of the kernel, not divided.",
        ("(x / self.width)", "(x * self.width)"),
    ),
    declared(
        "regressor",
        "The inputs are no longer whitened: the sub-module is kept and never called.",
        ("self.hidden(self.whiten(x))", "self.hidden(x)"),
    ),
    declared(
        "regressor",
        "Both layers are drawn with the same key.",
        ("key=out_key)", "key=hidden_key)"),
    ),
    declared(
        "regressor",
        "The filter spec takes every inexact array, and trains the statistics of the sub-module.",
        ("return trained_fields(self)", "return jax.tree.map(eqx.is_inexact_array, self)"),
    ),
    declared(
        "regressor",
        "The last layer is made in jax's default float.",
        (
            "Affine.create(1, hidden_size, dtype=dtype, key=out_key)",
            "Affine.create(1, hidden_size, key=out_key)",
        ),
    ),
    numbers(
        "regressor",
        "There is no activation between the layers.",
        ("self.out(jnp.tanh(self.hidden(self.whiten(x))))", "self.out(self.hidden(self.whiten(x)))"),
    ),
    declared(
        "smooth",
        "The result stays in the dtype of the sums.",
        ("smoothed[slice(*self.kept)].astype(x.dtype)", "smoothed[slice(*self.kept)]"),
    ),
    declared(
        "smooth",
        "The signal is always continued by its last sample, whatever the padding says.",
        ("mode=self.padding.boundary.value", 'mode="edge"'),
    ),
    declared(
        "smooth",
        "The taps are drawn from (0, 1), not from (-1, 1), before they are scaled.",
        ("dtype, -1.0, 1.0)", "dtype)"),
    ),
    numbers(
        "smooth",
        "The taps are applied in the reverse order, as a correlation.",
        ("self.taps.astype(dtype), mode", "self.taps[::-1].astype(dtype), mode"),
    ),
    numbers(
        "smooth",
        "One sample too few is added at each end.",
        ("jnp.pad(x, self.padding.width,", "jnp.pad(x, self.padding.width - 1,"),
    ),
    numbers(
        "smooth",
        "The step of the kept slice is forgotten.",
        ("slice(*self.kept)", "slice(*self.kept[:2])"),
    ),
    declared(
        "stack",
        "All layers start with the same weights: the loop no longer takes the split keys.",
        ("for key in jax.random.split(key, depth)", "for _ in range(depth)"),
    ),
    declared(
        "stack",
        "The last layer is kept and never applied.",
        ("return self.layers[-1](x)", "return x"),
    ),
    declared(
        "stack",
        "The activation is fixed; the one that was given is not used.",
        ("x = self.activation(layer(x))", "x = jnp.tanh(layer(x))"),
    ),
    numbers(
        "stack",
        "The layers before the last are applied in the reverse order.",
        ("for layer in self.layers[:-1]:", "for layer in reversed(self.layers[:-1]):"),
    ),
    declared(
        "tied_embedding",
        "The tied head is detached: the output no longer trains the table.",
        ("return self.embedding.T", "return jax.lax.stop_gradient(self.embedding).T"),
    ),
    declared(
        "tied_embedding",
        "The keys are derived from `hash` of a name, which differs between processes.",
        (
            "jax.random.split(key, 2)",
            '(\n            jax.random.fold_in(key, hash(name) & 0x7FFFFFFF) for name in ("embedding", "mix")\n        )',
        ),
    ),
    numbers(
        "tied_embedding",
        "The mix is transposed.",
        ("self.mix @ self.embedding[token]", "self.embedding[token] @ self.mix"),
    ),
    declared(
        "whiten",
        "A static field was added that nothing declares.",
        (
            "    epsilon: float = eqx.field(static=True, default=1e-6)\n",
            '    epsilon: float = eqx.field(static=True, default=1e-6)\n    label: str = eqx.field(static=True, default="")\n',
        ),
    ),
    declared(
        "whiten",
        "The deviation is no longer detached.",
        ("(jax.lax.stop_gradient(self.deviation) + self.epsilon)", "(self.deviation + self.epsilon)"),
    ),
    declared(
        "whiten",
        "The mean goes through 16 bits before it is stored.",
        ("mean=_real(mean, asked)", "mean=_real(mean, jnp.float16).astype(dtype)"),
    ),
    numbers(
        "whiten",
        "The deviation is taken for a variance.",
        (
            "(jax.lax.stop_gradient(self.deviation) + self.epsilon)",
            "jnp.sqrt(jax.lax.stop_gradient(self.deviation) + self.epsilon)",
        ),
    ),
)
