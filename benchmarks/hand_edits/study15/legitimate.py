"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "glacier",
        "a product takes out what is frozen to the bed",
        (
            "        sliding = jnp.where(\n"
            "            self.thawed, load / (1 + jax.lax.stop_gradient(self.bed) ** 2), 0\n"
            "        )\n",
            "        grip = 1 + jnp.square(jax.lax.stop_gradient(self.bed))\n"
            "        sliding = self.thawed * load / grip\n",
        ),
    ),
    legitimate(
        "glacier",
        "how much melts at a step is an argument",
        ("*, steps: int = 4\n", "*, steps: int = 4, share: float = 0.1\n"),
        ("ice = ice - 0.1 * jnp.abs(melt) * ice", "ice = ice - share * jnp.abs(melt) * ice"),
    ),
    legitimate(
        "glacier",
        "a method tells which layer is the fastest",
        (
            "    def steepened(self",
            '    def fastest(self, load: Float[Array, " layers"]) -> Int32[Array, ""]:\n'
            '        """The layer that creeps fastest."""\n'
            "        return jnp.argmax(jnp.abs(self(load))).astype(jnp.int32)\n\n"
            "    def steepened(self",
        ),
    ),
    legitimate(
        "loom",
        "what is lifted is a sum of products",
        (
            "        lifted = jnp.where(self.heddles, self.draft, 0)\n        height = jnp.sum(lifted, axis=0)\n",
            "        through = self.heddles.astype(self.draft.dtype)\n"
            '        height = jnp.einsum("st,st->t", through, self.draft)\n',
        ),
    ),
    legitimate(
        "loom",
        "the local variables of cloth have other names",
        (
            "        def row(last: jax.Array, weft: jax.Array) -> tuple[jax.Array, jax.Array]:\n"
            "            cloth = self(weft) - 0.25 * last\n"
            "            return cloth, cloth\n\n"
            "        cloth = jax.lax.scan(row, jnp.zeros_like(wefts[0]), wefts)[1]\n",
            "        def beaten(above: jax.Array, weft: jax.Array) -> tuple[jax.Array, jax.Array]:\n"
            "            below = self(weft) - above / 4\n"
            "            return below, below\n\n"
            "        start = jnp.zeros_like(wefts[0])\n"
            "        _, cloth = jax.lax.scan(beaten, start, wefts)\n",
        ),
    ),
    legitimate(
        "loom",
        "a loom has a weaver",
        ("    selvedge: bool\n\n", '    selvedge: bool\n    weaver: str = "unknown"\n\n'),
        (
            "        selvedge: bool = False,\n        dtype: DTypeLike",
            '        selvedge: bool = False,\n        weaver: str = "unknown",\n        dtype: DTypeLike',
        ),
        ("            selvedge=selvedge,\n", "            selvedge=selvedge,\n            weaver=weaver,\n"),
        (
            "            self.beat,\n            self.selvedge,\n",
            "            self.beat,\n            self.selvedge,\n            self.weaver,\n",
        ),
        (
            "        node.beat,\n        node.selvedge,\n",
            "        node.beat,\n        node.selvedge,\n        node.weaver,\n",
        ),
        (
            "    ), (node.weave, node.sett, node.beat, node.selvedge)\n",
            "    ), (node.weave, node.sett, node.beat, node.selvedge, node.weaver)\n",
        ),
        (
            '    fields["weave"], fields["sett"], fields["beat"], fields["selvedge"] = aux\n',
            "    (\n"
            '        fields["weave"],\n'
            '        fields["sett"],\n'
            '        fields["beat"],\n'
            '        fields["selvedge"],\n'
            '        fields["weaver"],\n'
            "    ) = aux\n",
        ),
    ),
    legitimate(
        "spectrograph",
        "a centroid is an average",
        (
            "return jnp.sum(weights * places) / jnp.sum(weights)",
            "return jnp.average(places, weights=weights)",
        ),
    ),
    legitimate(
        "spectrograph",
        "what stands for lines outside is an argument",
        ("*, rim: int = 0\n", "*, rim: int = 0, blank: float = 0.0\n"),
        ("jnp.where(inside, frame[self.lines], 0)", "jnp.where(inside, frame[self.lines], blank)"),
    ),
    legitimate(
        "spectrograph",
        "a readout is matched",
        (
            '        if self.readout == "log":\n'
            "            return jnp.sign(counts) * jnp.log1p(jnp.abs(counts))\n"
            '        return jnp.sqrt(1 + counts**2) if self.readout == "photon" else counts\n',
            "        match self.readout:\n"
            '            case "log":\n'
            "                return jnp.sign(counts) * jnp.log1p(jnp.abs(counts))\n"
            '            case "photon":\n'
            "                return jnp.sqrt(1 + jnp.square(counts))\n"
            "            case _:\n"
            "                return counts\n",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "seismometer",
        "the long average moves by a part of the difference",
        (
            "            state = state.set(\n"
            "                self.long, 0.95 * state.get(self.long) + 0.05 * jnp.abs(ground)\n"
            "            )\n",
            "            usual = state.get(self.long)\n"
            "            state = state.set(self.long, usual + 0.05 * (jnp.abs(ground) - usual))\n",
        ),
    ),
    legitimate(
        "seismometer",
        "a method tells how restless the ground is",
        (
            "    def magnitude(\n",
            '    def restless(self, state: eqx.nn.State) -> tuple[Float[Array, " channels"], eqx.nn.State]:\n'
            '        """The short average by the long one."""\n'
            "        return state.get(self.short) / (0.1 + state.get(self.long)), state\n\n"
            "    def magnitude(\n",
        ),
    ),
    legitimate(
        "sourdough",
        "acid is added in place",
        (
            "self.acid[...] = self.acid[...] + 0.1 * grown",
            "self.acid[...] += grown * 0.1",
        ),
    ),
    legitimate(
        "sourdough",
        "a taste may be sharp",
        ("*, mild: bool = False\n", "*, mild: bool = False, sharp: bool = False\n"),
        (
            "self.heritage[...], 1)\n",
            "self.heritage[...], 1)\n        if sharp:\n            sourness = 2 * sourness\n",
        ),
    ),
    legitimate(
        "pollen",
        "what sticks is taken before the walls",
        (
            "        landed = jnp.where(self.walled, 0, landed)\n        return landed * self.stickiness\n",
            "        return jnp.where(self.walled, 0, self.stickiness * landed)\n",
        ),
    ),
    legitimate(
        "pollen",
        "pollen has a species",
        (
            '    carrier: Literal["wind", "bees", "water"] = eqx.field(static=True, default="wind")\n',
            '    carrier: Literal["wind", "bees", "water"] = eqx.field(static=True, default="wind")\n'
            '    species: str = eqx.field(static=True, default="birch")\n',
        ),
        (
            '        carrier: Literal["wind", "bees", "water"] = "wind",\n',
            '        carrier: Literal["wind", "bees", "water"] = "wind",\n        species: str = "birch",\n',
        ),
        ("            carrier=carrier,\n", "            carrier=carrier,\n            species=species,\n"),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
