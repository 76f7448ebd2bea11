"""Edits in a cochlea with state, in an NNX module of tastes, and in molecules with their train state."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

COCHLEA: tuple[Edit, ...] = (
    declared(
        "cochlea",
        "samples are counted where nerves are noisy",
        ("        state = state.set(self.heard, state.get(self.heard) + 1)\n", ""),
        (
            "        if key is not None and not self.inference:\n",
            "        if key is not None and not self.inference:\n"
            "            state = state.set(self.heard, state.get(self.heard) + 1)\n",
        ),
    ),
    declared(
        "cochlea",
        "a margin has no gradient",
        ("spread * jnp.exp(margin)", "spread * jnp.exp(jax.lax.stop_gradient(margin))"),
    ),
    declared(
        "cochlea",
        "an ear rests when it is asked how tired it is",
        (
            "return jnp.log1p(state.get(self.loudness) * 10), state",
            "tired = jnp.log1p(state.get(self.loudness) * 10)\n"
            "        return tired, state.set(self.loudness, jnp.zeros_like(tired))",
        ),
    ),
    declared(
        "cochlea",
        "loud sounds stay loud by default",
        ("        compress: bool = True,\n", "        compress: bool = False,\n"),
    ),
    declared(
        "cochlea",
        "the loudness begins in jax's own dtype",
        (
            "loudness=eqx.nn.StateIndex(jnp.full((), 0.5, dtype))",
            "loudness=eqx.nn.StateIndex(jnp.full((), 0.5))",
        ),
    ),
    numbers(
        "cochlea",
        "decibels are twice as many",
        ("10 * jnp.log10(power)", "20 * jnp.log10(power)"),
    ),
    numbers(
        "cochlea",
        "the gain stays as it is in silence",
        (
            "        state = state.set(\n"
            "            self.loudness, state.get(self.loudness) * self.memory ** jnp.abs(count)\n"
            "        )\n",
            "",
        ),
    ),
)
TASTE: tuple[Edit, ...] = (
    declared(
        "taste",
        "who forgets has a new Variable",
        (
            "self.popular[...] = jnp.ones_like(self.popular[...])",
            "self.popular = nnx.BatchStat(jnp.ones_like(self.popular[...]))",
        ),
    ),
    declared(
        "taste",
        "moods are not trained",
        (
            "self.mood = nnx.Param(jnp.zeros((people,), dtype))",
            "self.mood = nnx.Variable(jnp.zeros((people,), dtype))",
        ),
    ),
    declared(
        "taste",
        "cold things are scored as all others",
        ("self.vectors(cold=cold) @", "self.vectors() @"),
    ),
    declared(
        "taste",
        "a memory that never learns is taken",
        ("        if not (0 <= self.memory < 1):\n", "        if not (0 <= self.memory <= 1):\n"),
    ),
    numbers(
        "taste",
        "vectors are as long as their columns",
        ("jnp.sum(vectors**2, axis=1, keepdims=True)", "jnp.sum(vectors**2, axis=0, keepdims=True)"),
    ),
)
MOLECULE: tuple[Edit, ...] = (
    declared(
        "molecule",
        "all molecules of a batch lose the same",
        ("        keys = jax.random.split(drop, atoms.shape[0])\n", ""),
        (
            "jax.vmap(lambda one, bond, key: self.model(one, bond, key=key))(\n            atoms, bonds, keys\n",
            "jax.vmap(lambda one, bond: self.model(one, bond, key=drop))(\n            atoms, bonds\n",
        ),
    ),
    declared(
        "molecule",
        "the average is of the weights before a step",
        ("            weights = optax.apply_updates(weights, updates)\n", ""),
        (
            "                self.ema,\n                weights,\n            )\n",
            "                self.ema,\n                weights,\n            )\n"
            "            weights = optax.apply_updates(weights, updates)\n",
        ),
    ),
    declared(
        "molecule",
        "atoms speak twice, whatever the setting",
        ("        for _ in range(self.rounds):\n", "        for _ in range(2):\n"),
    ),
    declared(
        "molecule",
        "the head has a bias",
        ("width, centre.shape[0], use_bias=False, dtype=dtype", "width, centre.shape[0], dtype=dtype"),
    ),
    numbers(
        "molecule",
        "atoms that fill up an array count for the mean",
        ("pooled = self.pooled(x, real)", "pooled = self.pooled(x)"),
    ),
)
STATEFUL: tuple[Edit, ...] = (*COCHLEA, *TASTE, *MOLECULE)
