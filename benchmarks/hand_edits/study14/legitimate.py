"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "kiln",
        "cracked shelves are taken out by a product",
        ("jnp.where(self.cracked, 0, heat) + self.ambient", "heat * ~self.cracked + self.ambient"),
    ),
    legitimate(
        "kiln",
        "what is wasted is a product of matrices",
        (
            "        taken = jax.vmap(\n"
            "            lambda one: jnp.sum(\n"
            "                jax.lax.stop_gradient(self.brick) * (self.conduct @ one)\n"
            "            )\n"
            "        )(fuel)\n",
            "        taken = fuel @ (jax.lax.stop_gradient(self.brick) @ self.conduct)\n",
        ),
    ),
    legitimate(
        "kiln",
        "how sharply a glaze melts is an argument",
        (
            "        thick: bool = False,\n",
            "        thick: bool = False,\n        sharpness: float = 1.0,\n",
        ),
        (
            "jax.nn.sigmoid(heat[:, None] - self.melt)",
            "jax.nn.sigmoid(sharpness * (heat[:, None] - self.melt))",
        ),
    ),
    legitimate(
        "kiln",
        "a method tells which shelf is the hottest",
        (
            "    def opened(self",
            '    def hottest(self, fuel: Float[Array, " burners"]) -> Int32[Array, ""]:\n'
            '        """The shelf that is the hottest."""\n'
            "        return jnp.argmax(self(fuel)).astype(jnp.int32)\n\n"
            "    def opened(self",
        ),
    ),
    legitimate(
        "sundial",
        "a dial has a motto",
        (
            '    metal: Literal["brass", "iron", "copper"]\n\n',
            '    metal: Literal["brass", "iron", "copper"]\n    motto: str\n\n',
        ),
        (
            '= "brass",\n        *,\n        _rebuild: bool',
            '= "brass",\n        motto: str = "tempus fugit",\n        *,\n        _rebuild: bool',
        ),
        ("        self.metal = metal\n", "        self.metal = metal\n        self.motto = motto\n"),
        (
            '= "brass",\n        dtype: DTypeLike',
            '= "brass",\n        motto: str = "tempus fugit",\n        dtype: DTypeLike',
        ),
        (
            "            metal=metal,\n        )\n\n    def _check",
            "            metal=metal,\n            motto=motto,\n        )\n\n    def _check",
        ),
        (
            "        node.clouds,\n    ), (node.hours, node.southern, node.metal)",
            "        node.clouds,\n    ), (node.hours, node.southern, node.metal, node.motto)",
        ),
        (
            '(GetAttrKey("clouds"), node.clouds),\n    ), (node.hours, node.southern, node.metal)',
            '(GetAttrKey("clouds"), node.clouds),\n    ), (node.hours, node.southern, node.metal, node.motto)',
        ),
        ("    hours, southern, metal = aux\n", "    hours, southern, metal, motto = aux\n"),
        (
            "        metal=metal,\n        _rebuild=True",
            "        metal=metal,\n        motto=motto,\n        _rebuild=True",
        ),
    ),
    legitimate(
        "sundial",
        "worn rings have a factor",
        (
            "shadow = jnp.where(self.worn, 0.5 * shadow, shadow)",
            "shadow = shadow * jnp.where(self.worn, 0.5, 1.0)",
        ),
    ),
    legitimate(
        "sundial",
        "the hour is summed in another form",
        ("shadows @ self.rim", 'jnp.einsum("nr,r->n", shadows, self.rim)'),
    ),
    legitimate(
        "canal",
        "levels are stacked one by one",
        ("), levels\n", "), jnp.stack(list(levels))\n"),
    ),
    legitimate(
        "canal",
        "how much of a level stays is an argument",
        ("        dry: bool = False,\n", "        dry: bool = False,\n        kept: float = 0.9,\n"),
        ("level = 0.9 * level", "level = kept * level"),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "aquarium",
        "breath is added tank by tank",
        (
            "        breath = jax.ops.segment_sum(\n"
            "            eaten * jax.lax.stop_gradient(self.gills), self.tank, self.tanks\n"
            "        )\n",
            "        breath = jnp.zeros(self.tanks, eaten.dtype)\n"
            "        breath = breath.at[self.tank].add(eaten * jax.lax.stop_gradient(self.gills))\n",
        ),
    ),
    legitimate(
        "aquarium",
        "what is left of the ammonia is computed as such",
        (
            "        taken = state.get(self.ammonia) * jax.nn.sigmoid(share if deep else share - 2)\n"
            "        state = state.set(self.ammonia, state.get(self.ammonia) - taken)\n",
            "        held = state.get(self.ammonia)\n"
            "        taken = held * jax.nn.sigmoid(share if deep else share - 2)\n"
            "        state = state.set(self.ammonia, held - taken)\n",
        ),
    ),
    legitimate(
        "telegraph",
        "charge is taken off in place",
        (
            "self.charge[...] = self.charge[...] - jnp.minimum(drawn, self.charge[...])",
            "self.charge[...] -= jnp.minimum(drawn, self.charge[...])",
        ),
    ),
    legitimate(
        "telegraph",
        "a method tells how much all stations hold",
        (
            "    def discharged(self",
            '    def stored(self) -> Float[Array, ""]:\n'
            '        """The charge of all stations."""\n'
            "        return jnp.sum(self.charge[...])\n\n"
            "    def discharged(self",
        ),
    ),
    legitimate(
        "rumour",
        "the trust is a matrix that is multiplied with who is known",
        (
            "weights = jnp.where(self.known, jax.nn.sigmoid(self.trust), 0)",
            "weights = self.known * jax.nn.sigmoid(self.trust)",
        ),
    ),
    legitimate(
        "rumour",
        "a village has a name",
        (
            "    patience: float = eqx.field(static=True, default=2.0)\n",
            '    patience: float = eqx.field(static=True, default=2.0)\n    name: str = eqx.field(static=True, default="Ash")\n',
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
