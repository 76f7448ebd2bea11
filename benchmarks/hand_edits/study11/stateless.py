"""Edits of the classes without state: a sum of tides, inks on paper, a column of trays."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_TIDE: tuple[Edit, ...] = (
    declared(
        "tide",
        "waves are measured with the noise of heights",
        (
            "jax.random.normal(second, waves.shape, waves.dtype)",
            "jax.random.normal(first, waves.shape, waves.dtype)",
        ),
    ),
    declared(
        "tide",
        "the phase is cut off with the speed",
        (
            "jnp.cos(jax.lax.stop_gradient(self.speed) * time + self.phase)",
            "jnp.cos(jax.lax.stop_gradient(self.speed * time + self.phase))",
        ),
    ),
    declared(
        "tide",
        "floods are counted in the integers of the platform",
        ("axis=0, dtype=jnp.int32)", "axis=0)"),
    ),
    declared(
        "tide",
        "a survey cuts the datum off from what it was",
        ("datum = 0.8 * self.datum +", "datum = 0.8 * jax.lax.stop_gradient(self.datum) +"),
    ),
    declared(
        "tide",
        "without a trend the rise has the default dtype",
        ("return jnp.zeros_like(time)", "return jnp.zeros(())"),
    ),
    numbers(
        "tide",
        "the quadratic trend has the factor of the linear one",
        ("0.001 * time**2", "0.01 * time**2"),
    ),
    numbers("tide", "feet are more than metres", ("height / 0.3", "height * 0.3")),
)
_PALETTE: tuple[Edit, ...] = (
    declared(
        "palette",
        "the intent is no part of the treedef",
        (
            "        node.grain,\n    ), (node.screen, node.coated, node.intent)",
            "        node.grain,\n    ), (node.screen, node.coated)",
        ),
        (
            '(GetAttrKey("grain"), node.grain),\n    ), (node.screen, node.coated, node.intent)',
            '(GetAttrKey("grain"), node.grain),\n    ), (node.screen, node.coated)',
        ),
        (
            '    fields["screen"], fields["coated"], fields["intent"] = aux\n',
            '    fields["screen"], fields["coated"] = aux\n    fields["intent"] = "photo"\n',
        ),
    ),
    declared(
        "palette",
        "the grain of sheets that follow is the same",
        (
            "        grain = jax.random.fold_in(self.grain, sheets)\n"
            "        return eqx.tree_at(\n"
            "            lambda one: (one.sheets, one.grain), self, (self.sheets + sheets, grain)\n"
            "        )\n",
            "        return eqx.tree_at(lambda one: one.sheets, self, self.sheets + sheets)\n",
        ),
    ),
    declared(
        "palette",
        "proofs are seen with the noise of the grain",
        (
            "jax.random.normal(key, away.shape, away.dtype)",
            "jax.random.normal(self.grain, away.shape, away.dtype)",
        ),
    ),
    declared(
        "palette",
        "inks that are not usable are printed",
        ("        spread = jnp.where(self.usable, spread, 0)\n", ""),
    ),
    numbers("palette", "wet ink absorbs less", ("1.2 * absorbed", "0.8 * absorbed")),
)
_COLUMN: tuple[Edit, ...] = (
    declared(
        "column",
        "what goes back has no gradient for the feed",
        ("return self.feed.T", "return jax.lax.stop_gradient(self.feed).T"),
    ),
    declared(
        "column",
        "the start is never trained, held or not",
        ('(("start",) if self.held else ())', '("start",)'),
    ),
    declared(
        "column",
        "trays keep what they computed for the way back",
        ("jax.lax.scan(jax.checkpoint(layer), vapour, arrays)", "jax.lax.scan(layer, vapour, arrays)"),
    ),
    declared(
        "column",
        "all trays are drawn from one key",
        ("Tray.create(parts, dtype=dtype, key=one)", "Tray.create(parts, dtype=dtype, key=trays_key)"),
    ),
    numbers(
        "column",
        "a flooded condenser gives a half at least",
        ("cooled = jnp.minimum(cooled, 0.5)", "cooled = jnp.maximum(cooled, 0.5)"),
    ),
    numbers(
        "column",
        "a tray boils by another curve",
        ("0.3 * jnp.tanh(liquid)", "0.3 * jax.nn.soft_sign(liquid)"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_TIDE, *_PALETTE, *_COLUMN)
