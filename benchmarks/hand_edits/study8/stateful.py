"""Edits in a sparse coder of NNX, an equaliser with state, and a clinical trial with its train state."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

CODER: tuple[Edit, ...] = (
    declared(
        "sparse_coder",
        "no rounds at all are let through",
        ("if not (self.rounds > 0):", "if not (self.rounds >= 0):"),
    ),
    declared(
        "sparse_coder",
        "the rotation has a gradient where signals are rebuilt",
        (
            "@ jax.lax.stop_gradient(\n            self.filters[...]\n        ) + self.centre[...]",
            "@ self.filters[...] + self.centre[...]",
        ),
    ),
    declared(
        "sparse_coder",
        "atoms that were revived do not count as active",
        (
            "        self.usage[...] = jnp.where(\n            rare, jnp.ones_like(self.usage[...]), self.usage[...]\n        )\n",
            "",
        ),
    ),
    declared(
        "sparse_coder",
        "the offset is made in jax's own dtype",
        ("nnx.Param(jnp.zeros((size,), dtype)) if use_offset", "nnx.Param(jnp.zeros((size,))) if use_offset"),
    ),
    declared(
        "sparse_coder",
        "a snapshot follows what the module does",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    numbers(
        "sparse_coder",
        "steps are as long as the norm of the dictionary allows, not its square",
        (
            "1 / (1 + jnp.sum(self.dictionary[...] ** 2))",
            "1 / (1 + jnp.sqrt(jnp.sum(self.dictionary[...] ** 2)))",
        ),
    ),
)
EQUALISER: tuple[Edit, ...] = (
    declared(
        "equaliser",
        "the taps follow at inference as well",
        ("if target is not None and not self.inference:", "if target is not None:"),
    ),
    declared(
        "equaliser",
        "new taps are zeros, as the line is",
        (
            "state.set(self.weights, jnp.ones_like(state.get(self.weights)))",
            "state.set(self.weights, jnp.zeros_like(state.get(self.weights)))",
        ),
    ),
    declared(
        "equaliser",
        "the response has no gradient by the taps",
        (
            "taps = self.gain * state.get(self.weights) * jax.lax.stop_gradient(self.window)",
            "taps = self.gain * jax.lax.stop_gradient(state.get(self.weights) * self.window)",
        ),
    ),
    declared(
        "equaliser",
        "decibels are bounded by Python's `max`",
        ("10 * jnp.log10(power + 1e-3) if decibels", "10 * jnp.log10(max(power, 1e-3)) if decibels"),
    ),
    numbers(
        "equaliser",
        "a sample that adapts enters the line at its end",
        (
            '        """Take a sample whose target is known, forget a share of the taps, and give the error."""\n'
            "        state = state.set(self.line, jnp.roll(state.get(self.line), 1).at[0].set(x))\n",
            '        """Take a sample whose target is known, forget a share of the taps, and give the error."""\n'
            "        state = state.set(self.line, jnp.roll(state.get(self.line), -1).at[-1].set(x))\n",
        ),
    ),
)
SURVIVAL: tuple[Edit, ...] = (
    declared(
        "survival",
        "each step draws the same people",
        ("draw = jr.fold_in(self.step_key, 1)", "draw = jr.fold_in(self.key, 1)"),
    ),
    declared(
        "survival",
        "the model of the average has the dtype of the average",
        (
            "return eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)",
            "return eqx.combine(self.ema, rest)",
        ),
        (
            "weights, rest = eqx.partition(self.model, _trained(self.model))\n        return",
            "_, rest = eqx.partition(self.model, _trained(self.model))\n        return",
        ),
    ),
    declared(
        "survival",
        "the ends of intervals have a gradient by their widths",
        (
            "            jax.lax.stop_gradient(self.edges),\n"
            "            prepend=jnp.zeros_like(jax.lax.stop_gradient(self.edges)[:1]),\n",
            "            self.edges,\n            prepend=jnp.zeros_like(self.edges[:1]),\n",
        ),
    ),
    declared(
        "survival",
        "how likely somebody outlives all is told with an axis",
        ("return alive[-1] if final", "return alive[-1:] if final"),
    ),
    declared(
        "survival",
        "the state of the optimiser is not copied",
        (
            "opt_state=_copied(optimiser.init(eqx.filter(model, _trained(model)))),",
            "opt_state=optimiser.init(eqx.filter(model, _trained(model))),",
        ),
    ),
    numbers(
        "survival",
        "those at risk are the last that were counted alone",
        (
            "at_risk=self.at_risk + jnp.sum(lived, axis=0)",
            "at_risk=jnp.sum(lived, axis=0)",
        ),
    ),
    numbers(
        "survival",
        "the interval in which somebody dies is not lived through",
        (
            "lived = jnp.arange(count) <= when[:, None]",
            "lived = jnp.arange(count) < when[:, None]",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (*CODER, *EQUALISER, *SURVIVAL)
