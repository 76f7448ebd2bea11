"""Edits of the classes without state: a kiln, a sundial, a canal with locks."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_KILN: tuple[Edit, ...] = (
    declared(
        "kiln",
        "the damper is shut while the kiln soaks, too",
        ("if self.damper is not None and not soaking:", "if self.damper is not None:"),
    ),
    declared(
        "kiln",
        "a share of firings has 32 bits",
        (
            "firings / jnp.asarray(len(heats), heats.dtype) if share",
            "firings / jnp.float32(len(heats)) if share",
        ),
    ),
    declared(
        "kiln",
        "the most that is wasted has an axis",
        ("return taken, jnp.max(taken)\n", "return taken, jnp.max(taken, keepdims=True)\n"),
    ),
    declared(
        "kiln",
        "the damper decays",
        ('("damper", "brick", "cracked", "cones", "ambient")', '("brick", "cracked", "cones", "ambient")'),
    ),
    numbers("kiln", "the draught adds to the flame", ("(1 - self.draught)", "(1 + self.draught)")),
    numbers("kiln", "more burns without air", ("0.7 * burnt", "1.7 * burnt")),
)
_SUNDIAL: tuple[Edit, ...] = (
    declared(
        "sundial",
        "leaves without paths have another order",
        (
            "        node.rim,\n        node.tilt,\n        node.figures,\n",
            "        node.tilt,\n        node.rim,\n        node.figures,\n",
        ),
    ),
    declared(
        "sundial",
        "all days draw from the key itself",
        (
            "lambda day: jax.random.uniform(jax.random.fold_in(self.clouds, day))",
            "lambda day: jax.random.uniform(self.clouds)",
        ),
    ),
    declared(
        "sundial",
        "figures are kept as they are given",
        (
            "            figures = {name: _real(value) for name, value in figures.items()}\n",
            "            figures = dict(figures)\n",
        ),
    ),
    declared(
        "sundial",
        "visits are counted in place",
        (
            "        return eqx.tree_at(\n"
            "            lambda one: (one.visits, one.clouds), self, (self.visits + people, clouds)\n"
            "        )\n",
            "        self.visits, self.clouds = self.visits + people, clouds\n        return self\n",
        ),
    ),
    numbers("sundial", "iron makes shadows weaker", ("shadow + 0.1", "shadow - 0.1")),
)
_CANAL: tuple[Edit, ...] = (
    declared(
        "canal",
        "what stays of a level has 32 bits",
        ("level = 0.9 * level +", "level = jnp.float32(0.9) * level +"),
    ),
    declared(
        "canal",
        "the bed is held where there are tides",
        ('(("bed",) if self.lined else ())', '(("bed",) if self.tidal else ())'),
    ),
    declared(
        "canal",
        "mud is picked by a mask",
        (
            "left = jnp.where(self.dredged, 0, jax.nn.softplus(mud))",
            "left = jax.nn.softplus(mud)[~self.dredged]",
        ),
    ),
    declared(
        "canal",
        "a wake has a gradient for the width",
        (
            "(1 + jax.lax.stop_gradient(self.width))\n        return wave",
            "(1 + self.width)\n        return wave",
        ),
    ),
    numbers(
        "canal",
        "closed gates keep back what they let through",
        ("through = self.seep * through", "through = (1 - self.seep) * through"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_KILN, *_SUNDIAL, *_CANAL)
