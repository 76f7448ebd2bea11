"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "tide",
        "the height has another name",
        ("height = self.datum + self.rise(time)", "level = self.datum + self.rise(time)"),
        ("height = height + self.surge * wind", "level = level + self.surge * wind"),
        ("return height if self.metric else height / 0.3", "return level if self.metric else level / 0.3"),
    ),
    legitimate(
        "tide",
        "waves that are not seen are taken out by a product",
        (
            "        return jnp.where(\n"
            "            self.seen, jnp.cos(jax.lax.stop_gradient(self.speed) * time + self.phase), 0\n"
            "        )\n",
            "        return self.seen * jnp.cos(\n"
            "            jax.lax.stop_gradient(self.speed) * time + self.phase\n"
            "        )\n",
        ),
    ),
    legitimate(
        "tide",
        "how bad an instrument is is an argument",
        (
            "exact: bool = False, key: PRNGKeyArray\n",
            "exact: bool = False, worse: float = 1.0, key: PRNGKeyArray\n",
        ),
        ("height + self.noise * jax", "height + worse * self.noise * jax"),
    ),
    legitimate(
        "tide",
        "a method tells how far the sea goes up and down",
        (
            "    def surveyed(self",
            '    def span(self) -> Float[Array, " harbours"]:\n'
            '        """How far the sea goes up and down at most."""\n'
            "        return 2 * jnp.sum(jnp.abs(self.amplitude), axis=1)\n\n"
            "    def surveyed(self",
        ),
    ),
    legitimate(
        "palette",
        "dots have another name, and are multiplied from the other side",
        ("spread = self.gain * jax", "dots = self.gain * jax"),
        ("spread = jnp.where(self.usable, spread, 0)", "dots = jnp.where(self.usable, dots, 0)"),
        ("absorbed = spread @ self.density", "absorbed = self.density.T @ dots"),
    ),
    legitimate(
        "palette",
        "a method gives the darkest patch",
        (
            "    def spots(",
            '    def darkest(self) -> Float[Array, " bands"]:\n'
            '        """The light of all inks together."""\n'
            "        return self(jnp.full_like(self.gain, 9.0))\n\n"
            "    def spots(",
        ),
    ),
    legitimate(
        "column",
        "the profile is stacked row by row",
        ("top), profile\n", "top), jnp.stack(list(profile))\n"),
    ),
    legitimate(
        "column",
        "the soft amount is a logarithm of a sum",
        ("jax.nn.softplus(product) if soft", "jnp.logaddexp(product, 0) if soft"),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "orchard",
        "moisture is bounded from either side in turn",
        (
            "jnp.clip((1 - lost) * (moisture - drunk), 0, self.capacity),",
            "jnp.minimum(\n"
            "                    jnp.maximum((1 - lost) * (moisture - drunk), 0), self.capacity\n"
            "                ),",
        ),
    ),
    legitimate(
        "orchard",
        "the yield is divided by what stress does",
        (
            "return sun * self.need * jnp.exp(-state.get(self.stress)) / (\n"
            "            1 + state.get(self.days)\n"
            "        ), state",
            "lost = jnp.exp(state.get(self.stress)) * (1 + state.get(self.days))\n"
            "        return sun * self.need / lost, state",
        ),
    ),
    legitimate(
        "orchard",
        "rows are summed by a product",
        (
            "return jax.ops.segment_sum(jnp.where(ripe, fruit, 0), self.row, self.rows)",
            "rows = jax.nn.one_hot(self.row, self.rows, axis=0, dtype=fruit.dtype)\n"
            "        return rows @ jnp.where(ripe, fruit, 0)",
        ),
    ),
    legitimate(
        "loom",
        "wear is added in place",
        (
            "self.wear[...] = self.wear[...] + (0.01 if self.oiled else 0.1) * jnp.abs(",
            "self.wear[...] += (0.01 if self.oiled else 0.1) * jnp.abs(",
        ),
    ),
    legitimate(
        "loom",
        "a loom has a weaver",
        ("        oiled: bool = False,\n", '        oiled: bool = False,\n        weaver: str = "nobody",\n'),
        ("        self.oiled = oiled\n", "        self.oiled = oiled\n        self.weaver = weaver\n"),
        ("    oiled: bool\n", "    oiled: bool\n    weaver: str\n"),
    ),
    legitimate(
        "auction",
        "lots are sorted downwards",
        (
            "return jnp.argsort(-jax.vmap(self)(sellers, lots)).astype(jnp.int32)",
            "bids = jax.vmap(self)(sellers, lots)\n"
            "        return jnp.argsort(bids, descending=True).astype(jnp.int32)",
        ),
    ),
    legitimate(
        "auction",
        "a market has a currency",
        (
            "    fees: bool = eqx.field(static=True, default=True)\n",
            '    fees: bool = eqx.field(static=True, default=True)\n    currency: str = eqx.field(static=True, default="EUR")\n',
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
