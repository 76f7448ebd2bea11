"""Edits in forecasts of series, a memory that is written while it runs, and a recommender with its train state."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

SEASONAL: tuple[Edit, ...] = (
    declared(
        "seasonal",
        "the count of what was seen is not forgotten",
        (
            "            self.season[...] = jnp.zeros_like(self.season[...])\n"
            "        self.seen[...] = jnp.zeros_like(self.seen[...])\n",
            "            self.season[...] = jnp.zeros_like(self.season[...])\n",
        ),
    ),
    declared(
        "seasonal",
        "without a season nothing is counted",
        ("        self.seen[...] += 1\n", "            self.seen[...] += 1\n"),
    ),
    declared(
        "seasonal",
        "forecasts leave out the slope if not told otherwise",
        ("*, trend: bool = True", "*, trend: bool = False"),
    ),
    numbers(
        "seasonal",
        "the season is written one step late",
        (
            "at = self.seen[...] % self.season[...].shape[0]",
            "at = (self.seen[...] + 1) % self.season[...].shape[0]",
        ),
    ),
)

FAST_MEMORY: tuple[Edit, ...] = (
    declared(
        "fast_memory",
        "queries are noisy in inference as well",
        ("if key is not None and not self.inference:", "if key is not None:"),
    ),
    declared(
        "fast_memory",
        "only writes of the delta rule are counted",
        (
            "            value = value - state.get(self.written) @ key / (1 + jnp.sum(key**2))\n",
            "            value = value - state.get(self.written) @ key / (1 + jnp.sum(key**2))\n"
            "            state = state.set(self.writes, state.get(self.writes) + 1)\n",
        ),
        (
            "        state = state.set(self.writes, state.get(self.writes) + 1)\n        return state\n",
            "        return state\n",
        ),
    ),
    declared(
        "fast_memory",
        "the mean size of a write has 32 bits",
        (
            "jnp.maximum(state.get(self.writes), 1).astype(size.dtype)",
            "jnp.maximum(state.get(self.writes), 1).astype(jnp.float32)",
        ),
    ),
    declared(
        "fast_memory",
        "inference is static",
        ("    inference: bool\n", "    inference: bool = eqx.field(static=True)\n"),
    ),
    numbers(
        "fast_memory",
        "the delta rule reads the matrix transposed",
        (
            "value = value - state.get(self.written) @ key /",
            "value = value - key @ state.get(self.written) /",
        ),
    ),
)

RECOMMENDER: tuple[Edit, ...] = (
    declared(
        "recommender",
        "the items have no gradient as a head",
        ("        return self.items.T\n", "        return jax.lax.stop_gradient(self.items).T\n"),
    ),
    declared(
        "recommender",
        "the average takes the weights before the step",
        (
            "            weights = optax.apply_updates(weights, updates)\n            ema = jax.tree.map(",
            "            ema = jax.tree.map(",
        ),
        (
            "                self.ema,\n                weights,\n            )\n",
            "                self.ema,\n                weights,\n            )\n"
            "            weights = optax.apply_updates(weights, updates)\n",
        ),
    ),
    declared("recommender", "the key is the caller's", ("key=jnp.array(key)", "key=key")),
    declared(
        "recommender",
        "all steps have one key",
        ("return jax.random.fold_in(self.key, self.step)", "return self.key"),
    ),
    declared(
        "recommender",
        "what is hidden and what is drawn come from one key",
        (
            "        _, draw = jax.random.split(self.step_key)\n",
            "        draw, _ = jax.random.split(self.step_key)\n",
        ),
    ),
    numbers(
        "recommender",
        "what is left of a history is not scaled up",
        ("jnp.where(kept, history / (1 - self.drop), 0)", "jnp.where(kept, history, 0)"),
    ),
)

STATEFUL: tuple[Edit, ...] = (*SEASONAL, *FAST_MEMORY, *RECOMMENDER)
