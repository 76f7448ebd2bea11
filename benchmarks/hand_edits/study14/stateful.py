"""Edits of the classes that change or draw: an aquarium with state, a telegraph of NNX, a rumour that a village learns."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_AQUARIUM: tuple[Edit, ...] = (
    declared(
        "aquarium",
        "cleaning is told and not made",
        ("        state = state.set(self.ammonia, state.get(self.ammonia) - taken)\n", ""),
    ),
    declared(
        "aquarium",
        "hunger is drawn at inference, too",
        (
            "        if not self.inference:\n            hunger = hunger * (\n",
            "        if key is not None:\n            hunger = hunger * (\n",
        ),
    ),
    declared(
        "aquarium",
        "doses are the last axis of who is ill",
        ("        )(doses), state\n", "        , out_axes=1)(doses), state\n"),
    ),
    declared(
        "aquarium",
        "plants have no gradient",
        ("air = air + self.plants", "air = air + jax.lax.stop_gradient(self.plants)"),
    ),
    declared(
        "aquarium",
        "there are plants for three tanks",
        ("plants=jnp.full((tanks,), 0.4, dtype)", "plants=jnp.full((3,), 0.4, dtype)"),
    ),
    numbers(
        "aquarium",
        "breath gives oxygen",
        ("- breath / self.volume", "+ breath / self.volume"),
    ),
)
_TELEGRAPH: tuple[Edit, ...] = (
    declared(
        "telegraph",
        "there is noise without training",
        ("deterministic=not training", "deterministic=False"),
    ),
    declared(
        "telegraph",
        "an array takes the place of the charge once it is drawn",
        (
            "        self.charge[...] = self.charge[...] - jnp.minimum(drawn, self.charge[...])\n"
            "        return self.charge[...]\n",
            "        self.charge = self.charge[...] - jnp.minimum(drawn, self.charge[...])\n"
            "        return self.charge\n",
        ),
    ),
    declared(
        "telegraph",
        "what is heard depends on duplex in the place of strict",
        ("(self.charge[...] if strict else 0)", "(self.charge[...] if self.duplex else 0)"),
    ),
    declared(
        "telegraph",
        "the coil has a seed of its own",
        ("nnx.Linear(keys, keys, rngs=rngs)", "nnx.Linear(keys, keys, rngs=nnx.Rngs(0))"),
    ),
    numbers(
        "telegraph",
        "resistance adds to the current",
        ("            - self.resistance[...]\n", "            + self.resistance[...]\n"),
    ),
)
_RUMOUR: tuple[Edit, ...] = (
    declared(
        "rumour",
        "the argument that ends chance is not read",
        (
            "quiet = key is None or (self.drop.inference if inference is None else inference)",
            "quiet = key is None or self.drop.inference",
        ),
    ),
    declared(
        "rumour",
        "the rate of dropout is an array",
        ("drop=eqx.nn.Dropout(0.3)", "drop=eqx.nn.Dropout(jnp.asarray(0.3))"),
    ),
    declared(
        "rumour",
        "words and tellers are drawn from one key",
        ("words, who = jax.random.split(key)", "words = who = key"),
    ),
    declared(
        "rumour",
        "a village keeps the model that it is given",
        ("        model = _copied(model)\n        return cls(", "        return cls("),
    ),
    declared("rumour", "steps are counted in floats", ("step=self.step + 1,", "step=self.step + 1.0,")),
    numbers(
        "rumour",
        "what is kept becomes less, not more",
        ("heard / (1 - self.forgetting)", "heard / (1 + self.forgetting)"),
    ),
    numbers(
        "rumour",
        "a mood keeps visitors away",
        ("return self.mood + (2 * drawn", "return self.mood - (2 * drawn"),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_AQUARIUM, *_TELEGRAPH, *_RUMOUR)
