"""Edits of the classes with state, with Variables, and with random numbers: a seismometer, a sourdough, pollen."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_SEISMOMETER: tuple[Edit, ...] = (
    declared(
        "seismometer",
        "the short average is cleared in a state that is let go",
        (
            "        state = state.set(self.short, jnp.zeros_like(state.get(self.short)))\n",
            "        state.set(self.short, jnp.zeros_like(before))\n",
        ),
    ),
    declared(
        "seismometer",
        "shocks are counted at inference, too",
        (
            "            state = state.set(\n"
            "                self.shocks,\n"
            "                state.get(self.shocks)\n"
            "                + jnp.any(\n"
            "                    state.get(self.short) > self.ratio * state.get(self.long)\n"
            "                ).astype(jnp.int32),\n"
            "            )\n",
            "        shaken = jnp.any(state.get(self.short) > self.ratio * state.get(self.long))\n"
            "        state = state.set(\n"
            "            self.shocks, state.get(self.shocks) + shaken.astype(jnp.int32)\n"
            "        )\n",
        ),
    ),
    declared(
        "seismometer",
        "the long average begins at zero",
        (
            "long=eqx.nn.StateIndex(jnp.ones((channels,), dtype))",
            "long=eqx.nn.StateIndex(jnp.zeros((channels,), dtype))",
        ),
    ),
    declared(
        "seismometer",
        "a magnitude has no gradient for the mass",
        ("axis=0) * self.mass", "axis=0) * jax.lax.stop_gradient(self.mass)"),
    ),
    numbers(
        "seismometer",
        "the short average forgets as much as it should keep",
        (
            "self.decay * state.get(self.short) + (1 - self.decay) * jnp.abs(ground)",
            "(1 - self.decay) * state.get(self.short) + self.decay * jnp.abs(ground)",
        ),
    ),
    numbers(
        "seismometer", "shocks from afar count less", ("jnp.exp(0.1 * distance)", "jnp.exp(-0.1 * distance)")
    ),
)
_SOURDOUGH: tuple[Edit, ...] = (
    declared(
        "sourdough",
        "the usual meal is averaged in a local variable",
        (
            "        if training:\n            self.usual[...] = 0.9 * self.usual[...] + 0.1 * jnp.abs(meal)\n",
            "        usual = self.usual[...]\n"
            "        if training:\n"
            "            usual = 0.9 * usual + 0.1 * jnp.abs(meal)\n",
        ),
        ("(eaten / (0.2 + self.usual[...]))", "(eaten / (0.2 + usual))"),
    ),
    declared(
        "sourdough",
        "heritage is trained",
        ("self.heritage = Frozen(", "self.heritage = nnx.Param("),
    ),
    declared(
        "sourdough",
        "there may be as much salt as dough",
        ("if not (0 <= self.salt < 1):", "if not (0 <= self.salt <= 1):"),
    ),
    numbers("sourdough", "acid makes a loaf rise", ("dough - self.acid[...]", "dough + self.acid[...]")),
)
_POLLEN: tuple[Edit, ...] = (
    declared(
        "pollen",
        "all gusts have the same draw",
        (
            "return jax.vmap(one)(gusts, jax.random.split(key, len(gusts)))",
            "return jax.vmap(one, in_axes=(0, None))(gusts, key)",
        ),
    ),
    declared(
        "pollen",
        "a call needs a key",
        ("if key is not None and not quiet:", "if not quiet:"),
    ),
    declared(
        "pollen",
        "how sticky plants are is not learnt",
        ("return landed * self.stickiness", "return landed * jax.lax.stop_gradient(self.stickiness)"),
    ),
    declared(
        "pollen",
        "scent decays",
        ('but=("stickiness", "scent")', 'but=("stickiness",)'),
    ),
    numbers(
        "pollen",
        "an eddy is uniform",
        (
            "jax.random.normal(\n                eddy, landed.shape, landed.dtype",
            "jax.random.uniform(\n                eddy, landed.shape, landed.dtype",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_SEISMOMETER, *_SOURDOUGH, *_POLLEN)
