"""Edits of the classes without state: a glacier, a loom, a spectrograph."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_GLACIER: tuple[Edit, ...] = (
    declared(
        "glacier",
        "a surge is of no account",
        ("if self.moraine is not None and not surge:", "if self.moraine is not None:"),
        ('(2 if surge or self.regime == "surging" else 1)', '(2 if self.regime == "surging" else 1)'),
    ),
    declared(
        "glacier",
        "what breaks off is added up for each face",
        ("jnp.where(broken[:, None], faces, 0), axis=0)", "jnp.where(broken[:, None], faces, 0), axis=1)"),
    ),
    declared(
        "glacier",
        "ice melts in four steps, whatever is asked for",
        (
            "jax.lax.stop_gradient(self.bed)) + 1, None, length=steps",
            "jax.lax.stop_gradient(self.bed)) + 1, None, length=4",
        ),
    ),
    declared(
        "glacier",
        "the coldest layer is an integer of Python's kind",
        ("jnp.inf, heat)).astype(jnp.int32)", "jnp.inf, heat)).astype(int)"),
    ),
    declared(
        "glacier",
        "friction has a gradient",
        ("load / (1 + jax.lax.stop_gradient(self.bed) ** 2)", "load / (1 + self.bed**2)"),
    ),
    declared(
        "glacier",
        "the second part holds all",
        (
            "return eqx.partition(self, self.select_rheology())",
            "return eqx.filter(self, self.select_rheology()), self",
        ),
    ),
    numbers(
        "glacier",
        "hard ice creeps faster",
        ("jnp.abs(stress / self.stiffness)", "jnp.abs(stress * self.stiffness)"),
    ),
)
_LOOM: tuple[Edit, ...] = (
    declared(
        "loom",
        "sett and beat are exchanged where it is rebuilt",
        (
            'fields["weave"], fields["sett"], fields["beat"], fields["selvedge"] = aux',
            'fields["weave"], fields["beat"], fields["sett"], fields["selvedge"] = aux',
        ),
    ),
    declared(
        "loom",
        "the beat is a leaf",
        (
            "    return (node.tension, node.draft, node.dyes, node.heddles, node.treadling), (\n"
            "        node.weave,\n"
            "        node.sett,\n"
            "        node.beat,\n"
            "        node.selvedge,\n"
            "    )\n",
            "    children = (\n"
            "        node.tension,\n"
            "        node.draft,\n"
            "        node.dyes,\n"
            "        node.heddles,\n"
            "        node.treadling,\n"
            "        node.beat,\n"
            "    )\n"
            "    return children, (node.weave, node.sett, node.selvedge)\n",
        ),
        (
            '        (GetAttrKey("treadling"), node.treadling),\n'
            "    ), (node.weave, node.sett, node.beat, node.selvedge)\n",
            '        (GetAttrKey("treadling"), node.treadling),\n'
            '        (GetAttrKey("beat"), node.beat),\n'
            "    ), (node.weave, node.sett, node.selvedge)\n",
        ),
        (
            '        fields["treadling"],\n    ) = children\n',
            '        fields["treadling"],\n        fields["beat"],\n    ) = children\n',
        ),
        (
            'fields["weave"], fields["sett"], fields["beat"], fields["selvedge"] = aux',
            'fields["weave"], fields["sett"], fields["selvedge"] = aux',
        ),
    ),
    declared(
        "loom",
        "a dye is taken up by what it colours",
        (
            "        return seen if light is None else light * seen\n",
            "        self.dyes[dye] = seen\n        return seen if light is None else light * seen\n",
        ),
    ),
    declared(
        "loom",
        "a loom that is tightened has no selvedge",
        (
            "            self.beat,\n            self.selvedge,\n",
            "            self.beat,\n            False,\n",
        ),
    ),
    declared(
        "loom",
        "lifts are counted of three shafts",
        ("jnp.zeros(len(self.heddles), jnp.int32)", "jnp.zeros(3, jnp.int32)"),
    ),
    numbers(
        "loom", "the last row adds to the next", ("self(weft) - 0.25 * last", "self(weft) + 0.25 * last")
    ),
)
_SPECTROGRAPH: tuple[Edit, ...] = (
    declared(
        "spectrograph",
        "places have 32 bits",
        ("jnp.arange(len(frame), dtype=frame.dtype)", "jnp.arange(len(frame), dtype=jnp.float32)"),
    ),
    declared(
        "spectrograph",
        "an exposure is asked whether it is true",
        ("if exposure is not None and self.shutter:", "if exposure and self.shutter:"),
    ),
    declared(
        "spectrograph",
        "the dark frame is not copied",
        ("self.dark = _real(dark, asked)", "self.dark = jnp.asarray(dark, asked)"),
    ),
    declared(
        "spectrograph",
        "the width is computed once, and stored",
        (
            '    raw_width: Float[Array, " pixels"]\n',
            '    raw_width: Float[Array, " pixels"]\n    width: Float[Array, " pixels"]\n',
        ),
        (
            "        self.raw_width = jnp.full((pixels,), 0.4, dtype)\n",
            "        self.raw_width = jnp.full((pixels,), 0.4, dtype)\n"
            "        self.width = jax.nn.softplus(self.raw_width)\n",
        ),
        (
            "    @property\n"
            '    def width(self) -> Float[Array, " pixels"]:\n'
            '        """How far light spreads"""\n'
            "        return jax.nn.softplus(self.raw_width)\n\n",
            "",
        ),
    ),
    numbers(
        "spectrograph",
        "the logarithm is of squares",
        ("jnp.log1p(jnp.abs(counts))", "jnp.log1p(counts**2)"),
    ),
    numbers("spectrograph", "a centroid weighs by squares", ("jnp.abs(frame) + 0.01", "frame**2 + 0.01")),
)
STATELESS: tuple[Edit, ...] = (*_GLACIER, *_LOOM, *_SPECTROGRAPH)
