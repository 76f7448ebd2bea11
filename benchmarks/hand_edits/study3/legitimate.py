"""Changes that are right: refactorings, new arguments and methods, clearer or safer formulas, another initialiser."""

from benchmarks.hand_edits.edit import Edit, legitimate

LEGITIMATE: tuple[Edit, ...] = (
    legitimate(
        "hidden_markov",
        "the backward pass flips the sequence in place of scanning in reverse",
        (
            "_, earlier = jax.lax.scan(step, last, emitted[1:], reverse=True)\n",
            "_, flipped = jax.lax.scan(step, last, jnp.flip(emitted[1:], axis=0))\n"
            "        earlier = jnp.flip(flipped, axis=0)\n",
        ),
    ),
    legitimate(
        "hidden_markov",
        "the uniform start is the softmax of zeros",
        (
            "return jnp.full_like(self.transition[0], -jnp.log(self.transition.shape[0]))",
            "return jax.nn.log_softmax(jnp.zeros_like(self.transition[0]))",
        ),
    ),
    legitimate(
        "hidden_markov",
        "a method gives the state distribution after one more step",
        (
            '    def scale(self) -> Float[Array, " size"]:',
            '    def predicted(self, log_p: Float[Array, " states"]) -> Float[Array, " states"]:\n'
            '        """Log-probabilities of the next state, given those of this one."""\n'
            "        return jax.nn.logsumexp(log_p[:, None] + self.log_transition(), axis=0)\n\n"
            '    def scale(self) -> Float[Array, " size"]:',
        ),
    ),
    legitimate(
        "particles",
        "the effective number is computed from logarithms",
        (
            "return 1 / jnp.sum(self.weights() ** 2)",
            "return jnp.exp(-jax.nn.logsumexp(2 * jax.nn.log_softmax(self.log_weights)))",
        ),
    ),
    legitimate(
        "particles",
        "the covariance is one einsum",
        (
            "covariance = (self.weights()[:, None] * centred).T @ centred",
            'covariance = jnp.einsum("n,ni,nj->ij", self.weights(), centred, centred)',
        ),
    ),
    legitimate(
        "particles",
        "a step takes a factor of the noise, 1 by default",
        (
            '        spread: Float[Array, ""],\n        *,\n        key: PRNGKeyArray,\n',
            '        spread: Float[Array, ""],\n        *,\n        factor: float = 1.0,\n        key: PRNGKeyArray,\n',
        ),
        ("self.positions + drift + spread * noise,", "self.positions + drift + factor * spread * noise,"),
    ),
    legitimate(
        "hash_grid",
        "the corners are mapped in place of looped over",
        (
            "        result = jnp.zeros_like(self.table[level, 0])\n"
            "        for offset in itertools.product((0, 1), repeat=x.shape[0]):\n"
            "            at = jnp.array(offset)\n"
            "            share = jnp.prod(jnp.where(at == 1, weight, 1 - weight))\n"
            "            entry = self.table[level, self.index(corner.astype(jnp.int32) + at)]\n"
            "            result = result + share * entry\n"
            "        return result\n",
            "        at = jnp.array(list(itertools.product((0, 1), repeat=x.shape[0])))\n"
            "        shares = jnp.prod(jnp.where(at == 1, weight, 1 - weight), axis=-1)\n"
            "        entries = jax.vmap(self.index)(corner.astype(jnp.int32) + at)\n"
            "        return shares @ self.table[level, entries]\n",
        ),
    ),
    legitimate(
        "tuning",
        "the down projection is meant to begin as that of He",
        (
            "down=jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(",
            "down=jax.nn.initializers.he_normal(in_axis=-1, out_axis=-2)(",
        ),
    ),
    legitimate(
        "tuning",
        "what is kept is scaled after it was chosen",
        (
            "hidden = jnp.where(kept, x / (1 - self.rate), 0)",
            "hidden = jnp.where(kept, x, 0) / (1 - self.rate)",
        ),
    ),
    legitimate(
        "tuning",
        "the schedule is safe where it has no steps after the warm-up",
        ("/ (self.total - self.warmup), 0.0, 1.0)", "/ max(self.total - self.warmup, 1), 0.0, 1.0)"),
    ),
    legitimate(
        "spectral_dense",
        "the power iteration is a scan",
        (
            "        for _ in range(self.n_steps):\n"
            "            right = self.weight[...].T @ left\n"
            "            right = right / (jnp.linalg.norm(right) + self.eps)\n"
            "            left = self.weight[...] @ right\n"
            "            left = left / (jnp.linalg.norm(left) + self.eps)\n",
            "        weight = self.weight[...]\n\n"
            "        def step(left: Array, _: None) -> tuple[Array, Array]:\n"
            "            right = weight.T @ left\n"
            "            right = right / (jnp.linalg.norm(right) + self.eps)\n"
            "            left = weight @ right\n"
            "            return left / (jnp.linalg.norm(left) + self.eps), right\n\n"
            "        left, rights = jax.lax.scan(step, left, length=self.n_steps)\n"
            "        right = rights[-1]\n",
        ),
    ),
    legitimate(
        "spectral_dense",
        "the reciprocal root is computed at once",
        (
            "y = (y - mean) / jnp.sqrt(var + self.eps)",
            "y = (y - mean) * jax.lax.rsqrt(var + self.eps)",
        ),
    ),
    legitimate(
        "wavelet",
        "shrinking subtracts what is clipped",
        (
            "        small = jnp.maximum(jnp.abs(details) - self.threshold, 0)\n",
            "        small = details - jnp.clip(details, -self.threshold, self.threshold)\n",
        ),
        ("jnp.sign(details) * small", "small"),
    ),
    legitimate(
        "wavelet",
        "without a threshold the signal is returned, since the inverse undoes the transform",
        (
            "        coefficients = self.forward(x)\n"
            "        if self.threshold is None:\n"
            "            return self.inverse(coefficients)\n"
            "        return self.inverse(self.shrink(coefficients))\n",
            "        if self.threshold is None:\n"
            "            return x\n"
            "        return self.inverse(self.shrink(self.forward(x)))\n",
        ),
    ),
    legitimate(
        "train_state",
        "the number of steps stays at the largest integer",
        ("step=self.step + 1,", "step=optax.safe_increment(self.step),"),
    ),
)
