"""Edits of the classes with state, with Variables, and of a train state: a tramway, a foundry, a violin."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_TRAMWAY: tuple[Edit, ...] = (
    declared(
        "tramway",
        "runs are counted in inference, too",
        (
            "            state = state.set(self.runs, state.get(self.runs) + self.headway)\n",
            "        state = state.set(self.runs, state.get(self.runs) + self.headway)\n",
        ),
    ),
    declared(
        "tramway",
        "what was late has no gradient",
        (
            "0.9 * state.get(self.late) + (0.05",
            "0.9 * jax.lax.stop_gradient(state.get(self.late)) + (0.05",
        ),
    ),
    declared(
        "tramway",
        "riders are pooled in the dtype of the weights",
        ("jnp.zeros_like(self.patience, riders.dtype)", "jnp.zeros_like(self.patience)"),
    ),
    declared(
        "tramway",
        "the pull is scaled by the lines, not by the stops",
        ("lecun_uniform(in_axis=-1, out_axis=-2)", "lecun_uniform(in_axis=-2, out_axis=-1)"),
    ),
    numbers(
        "tramway",
        "loads are smoothed with those that come after",
        ("jnp.roll(loads, 1, axis=0)", "jnp.roll(loads, -1, axis=0)"),
    ),
    numbers(
        "tramway",
        "the grip on ice is that below the tangent",
        ("jnp.tanh(load) * self.grip", "jnp.tanh(load * self.grip)"),
    ),
)
_FOUNDRY: tuple[Edit, ...] = (
    declared(
        "foundry",
        "slag is a Variable of no kind",
        ("self.slag = nnx.BatchStat(", "self.slag = nnx.Variable("),
    ),
    declared(
        "foundry",
        "recipe and pattern are drawn from one key",
        (
            "        self.recipe = nnx.Param(\n",
            "        key = rngs.params()\n        self.recipe = nnx.Param(\n",
        ),
        ("rngs.params(), (alloys, metals), dtype", "key, (alloys, metals), dtype"),
        ("rngs.params(), (moulds, alloys), np", "key, (moulds, alloys), np"),
    ),
    declared(
        "foundry",
        "sparks fly where nothing is poured",
        ("deterministic=not pouring", "deterministic=False"),
    ),
    declared(
        "foundry",
        "slag is skimmed and stays",
        (
            "        self.slag[...] = self.slag[...] * (1 - jnp.clip(share, 0, 1))\n        return self.slag[...]\n",
            "        return self.slag[...] * (1 - jnp.clip(share, 0, 1))\n",
        ),
    ),
    declared(
        "foundry",
        "a snapshot holds the Variables of the module",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    numbers(
        "foundry",
        "the casts are turned upside down, and not the moulds",
        ("jnp.flip(ordered, axis=1)", "jnp.flip(ordered, axis=0)"),
    ),
)
_VIOLIN: tuple[Edit, ...] = (
    declared(
        "violin",
        "the average has the bits of the weights",
        (
            "ema=_widened(eqx.filter(model, _trained(model)))",
            "ema=_copied(eqx.filter(model, _trained(model)))",
        ),
    ),
    declared(
        "violin",
        "an average that never moves is taken",
        ("0.0 <= self.ema_decay < 1.0", "0.0 <= self.ema_decay <= 1.0"),
    ),
    declared(
        "violin",
        "the optimiser is told nothing besides",
        ("self.opt_state, weights, **extra_args", "self.opt_state, weights"),
    ),
    declared(
        "violin",
        "rosin is drawn from a normal distribution",
        (
            "0.6 * jax.random.uniform(rosin_key, (strings,), dtype, -1.0, 1.0)",
            "0.6 * jax.random.normal(rosin_key, (strings,), dtype)",
        ),
    ),
    numbers(
        "violin",
        "pieces that are practised were played once, whatever was before",
        ("self.played.at[pieces].add(1)", "self.played.at[pieces].set(1)"),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_TRAMWAY, *_FOUNDRY, *_VIOLIN)
