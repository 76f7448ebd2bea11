"""Edits in the six generated classes: calls, methods, and branches behind flags."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

HIDDEN_MARKOV: tuple[Edit, ...] = (
    declared(
        "hidden_markov",
        "the means are drawn with the key of the transition",
        ("means=jax.random.normal(means_key,", "means=jax.random.normal(transition_key,"),
    ),
    declared(
        "hidden_markov",
        "the uniform start is a new array in place of one like the transition",
        (
            "jnp.full_like(self.transition[0], -jnp.log(self.transition.shape[0]))",
            "jnp.full(self.transition.shape[0], -math.log(self.transition.shape[0]), jnp.float32)",
        ),
    ),
    declared(
        "hidden_markov",
        "the constant of the density is computed by NumPy, in 64 bits",
        ("import jax.numpy as jnp\n", "import jax.numpy as jnp\nimport numpy as np\n"),
        ("jnp.log(2 * jnp.pi).astype(x.dtype)", "np.log(2 * np.pi)"),
    ),
    declared(
        "hidden_markov",
        "the keys of the path are split from the key that was split before",
        ("keys = jax.random.split(path_key, noise.shape[0])", "keys = jax.random.split(key, noise.shape[0])"),
    ),
    declared(
        "hidden_markov",
        "decoding takes the whole sequence by default",
        ("smoothed: bool = False", "smoothed: bool = True"),
    ),
    numbers(
        "hidden_markov",
        "the floor bounds the deviation in place of adding to it",
        (
            "return self.floor + jnp.exp(self.log_scale)",
            "return jnp.maximum(self.floor, jnp.exp(self.log_scale))",
        ),
    ),
    numbers(
        "hidden_markov",
        "the backward pass sums over the wrong axis",
        ("self.log_transition() + log_p + beta, axis=1", "self.log_transition() + log_p + beta, axis=0"),
    ),
)

PARTICLES: tuple[Edit, ...] = (
    declared(
        "particles",
        "an observation gives particles with the default threshold and way to draw",
        (
            "return Particles(\n            self.positions, log_weights, evidence, self.threshold, self.systematic\n        )",
            "return Particles.create(self.positions, log_weights).with_evidence(evidence)",
        ),
        (
            '    def resampled(self, *, key: PRNGKeyArray) -> "Particles":',
            '    def with_evidence(self, evidence: Float[Array, ""]) -> "Particles":\n'
            '        """The same particles with another evidence."""\n'
            "        return dataclasses.replace(self, evidence=evidence)\n\n"
            '    def resampled(self, *, key: PRNGKeyArray) -> "Particles":',
        ),
        ("import math\n", "import dataclasses\nimport math\n"),
    ),
    declared(
        "particles",
        "particles that need no new draw are returned at once",
        (
            "needed = self.effective() < self.threshold * count\n",
            "needed = self.effective() < self.threshold * count\n        if not needed:\n            return self\n",
        ),
    ),
    declared(
        "particles",
        "the evidence begins without the dtype that was asked for",
        ("evidence=jnp.zeros((), dtype)", "evidence=jnp.zeros(())"),
    ),
    declared(
        "particles",
        "the positions are taken over without a copy",
        ("positions=_real(positions, asked)", "positions=jnp.asarray(positions, asked)"),
    ),
    declared(
        "particles",
        "the noise of a step has the default dtype",
        (
            "jax.random.normal(key, self.positions.shape, self.positions.dtype)",
            "jax.random.normal(key, self.positions.shape)",
        ),
    ),
    numbers(
        "particles",
        "the evidence of an observation forgets the former ones",
        (
            "evidence = self.evidence + jax.nn.logsumexp(log_weights)",
            "evidence = jax.nn.logsumexp(log_weights)",
        ),
    ),
    numbers(
        "particles",
        "the correction of the covariance multiplies",
        (
            "covariance / (1 - jnp.sum(self.weights() ** 2))",
            "covariance * (1 - jnp.sum(self.weights() ** 2))",
        ),
    ),
)

HASH_GRID: tuple[Edit, ...] = (
    declared(
        "hash_grid",
        "the table is drawn above 0 alone",
        (
            "* jax.random.uniform(key, (levels, entries, features), dtype, -1.0, 1.0)",
            "* jax.random.uniform(key, (levels, entries, features), dtype)",
        ),
    ),
    declared(
        "hash_grid",
        "the index is left unsigned",
        ("return (mixed % self.table.shape[1]).astype(jnp.int32)", "return mixed % self.table.shape[1]"),
    ),
    numbers(
        "hash_grid",
        "the smooth weight is the polynomial of degree five",
        (
            "weight = weight**2 * (3 - 2 * weight)",
            "weight = weight**3 * (10 + weight * (6 * weight - 15))",
        ),
    ),
)

TUNING: tuple[Edit, ...] = (
    declared(
        "tuning",
        "the bias decays",
        ('path[0].name not in ("base", "bias")', 'path[0].name not in ("base",)'),
    ),
    declared(
        "tuning",
        "the fan of the down projection is that of the rank",
        (
            "down=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(",
            "down=jax.nn.initializers.lecun_normal(in_axis=-2, out_axis=-1)(",
        ),
    ),
    declared(
        "tuning",
        "the flag of inference is not asked any more",
        (
            "if key is not None and not self.inference and self.rate > 0:",
            "if key is not None and self.rate > 0:",
        ),
    ),
    declared(
        "tuning",
        "the penalty is the square of a norm, whose slope at 0 is NaN",
        ("total = jnp.sum(self.up**2)", "total = jnp.linalg.norm(self.up) ** 2"),
    ),
    declared(
        "tuning",
        "every step has the same key",
        ("return jax.random.fold_in(self.key, self.step)", "return jax.random.split(self.key)[0]"),
    ),
    declared(
        "tuning",
        "the average takes the weights before the step",
        (
            "                self.ema,\n                weights,\n",
            "                self.ema,\n                eqx.filter(self.model, spec),\n",
        ),
    ),
    numbers(
        "tuning",
        "the learning rate goes on rising after the warm-up",
        ("rising = jnp.minimum(step / self.warmup, 1.0)", "rising = step / self.warmup"),
    ),
)

SPECTRAL_DENSE: tuple[Edit, ...] = (
    declared(
        "spectral_dense",
        "the singular vector is a parameter",
        ("self.left = nnx.Variable(", "self.left = nnx.Param("),
    ),
    numbers(
        "spectral_dense",
        "the singular vector moves at inference too",
        ("        if self.training:\n            self.left[...] = left\n", "        self.left[...] = left\n"),
    ),
)

WAVELET: tuple[Edit, ...] = (
    declared(
        "wavelet",
        "the inverse forgets the gain of the details",
        ("rest[: x.shape[0]] * gain, rest[x.shape[0] :]", "rest[: x.shape[0]], rest[x.shape[0] :]"),
    ),
    declared(
        "wavelet",
        "the threshold cuts off hard, and has no gradient",
        (
            "        small = jnp.maximum(jnp.abs(details) - self.threshold, 0)\n",
            "        kept = jnp.where(jnp.abs(details) > self.threshold, details, 0)\n",
        ),
        ("jnp.sign(details) * small", "kept"),
    ),
    declared(
        "wavelet",
        "the threshold has an axis",
        ("threshold=jnp.full((), 0.1, dtype)", "threshold=jnp.full((1,), 0.1, dtype)"),
    ),
    numbers(
        "wavelet",
        "a filter that ends at the border loses the first sample too",
        ("jnp.arange(x.shape[0]) < lag", "jnp.arange(x.shape[0]) <= lag"),
    ),
)

CLASSES: tuple[Edit, ...] = (
    *HIDDEN_MARKOV,
    *PARTICLES,
    *HASH_GRID,
    *TUNING,
    *SPECTRAL_DENSE,
    *WAVELET,
)
