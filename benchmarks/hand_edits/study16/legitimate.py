"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "vineyard",
        "warmth is what a rectifier leaves",
        (
            "warmth = jnp.maximum(heat, self.base) - self.base",
            "warmth = jax.nn.relu(heat - self.base)",
        ),
    ),
    legitimate(
        "vineyard",
        "a method tells how many vines stand in the sun",
        (
            "    def frosted(\n",
            '    def sunny(self) -> Int32[Array, ""]:\n'
            '        """How many vines are not shaded."""\n'
            "        return jnp.sum(~self.shaded, dtype=jnp.int32)\n\n"
            "    def frosted(\n",
        ),
    ),
    legitimate(
        "vineyard",
        "how far below the base a night is cold is an argument",
        ("*, limit: int = 2\n", "*, limit: int = 2, margin: float = 0.0\n"),
        ("nights < -self.base", "nights < -self.base - margin"),
    ),
    legitimate(
        "printer",
        "a paper is matched",
        (
            '        if self.paper == "gloss":\n'
            "            return page + self.dither * jnp.square(page)\n"
            '        return jax.nn.relu(page) if self.paper == "film" else page\n',
            "        match self.paper:\n"
            '            case "gloss":\n'
            "                return page + self.dither * page**2\n"
            '            case "film":\n'
            "                return jnp.maximum(page, 0)\n"
            "            case _:\n"
            "                return page\n",
        ),
    ),
    legitimate(
        "printer",
        "amounts are taken in the order of the print",
        (
            "ordered = amounts[:, self.order[...]]",
            "ordered = jnp.take(amounts, self.order[...], axis=1)",
        ),
    ),
    legitimate(
        "coral",
        "what is fed is a sum of products",
        (
            "        fed = jnp.where(self.bleached, 0.2, self.algae) * (self.polyps @ seen)\n",
            "        share = jnp.where(self.bleached, 0.2, self.algae)\n"
            '        fed = jnp.einsum("c,cl,l->c", share, self.polyps, seen)\n',
        ),
    ),
    legitimate(
        "coral",
        "how much luck larvae have is an argument",
        (
            "        mixed: bool = False,\n",
            "        mixed: bool = False,\n        strength: float = 0.1,\n",
        ),
        ("larvae = currents + 0.1 * noise * self.algae", "larvae = currents + strength * noise * self.algae"),
    ),
)
STATELESS: tuple[Edit, ...] = (
    legitimate(
        "dosage",
        "the local variables of what is cleared have names",
        (
            '        if self.elimination == "saturable":\n'
            "            return self.clearance * level / (1 + jnp.abs(level)) ** self.order\n"
            "        return (\n"
            "            jnp.zeros_like(level)\n"
            '            if self.elimination == "none"\n'
            "            else self.clearance * level\n"
            "        )\n",
            '        if self.elimination == "none":\n'
            "            return jnp.zeros_like(level)\n"
            "        rate = self.clearance * level\n"
            '        if self.elimination == "linear":\n'
            "            return rate\n"
            "        saturation = (1 + jnp.abs(level)) ** self.order\n"
            "        return rate / saturation\n",
        ),
    ),
    legitimate(
        "dosage",
        "a drug has a unit",
        (
            "    validated: bool = eqx.field(static=True)\n",
            "    validated: bool = eqx.field(static=True)\n    unit: str = eqx.field(static=True)\n",
        ),
        (
            "        validated: bool = True,\n",
            '        validated: bool = True,\n        unit: str = "mg",\n',
        ),
        (
            "        self.validated = validated\n",
            "        self.validated = validated\n        self.unit = unit\n",
        ),
    ),
    legitimate(
        "dosage",
        "areas are those of jax",
        (
            "return self.step * jnp.sum((curve[1:] + curve[:-1]) / 2, axis=0)",
            "return jnp.trapezoid(curve, dx=self.step, axis=0)",
        ),
    ),
    legitimate(
        "organ",
        "where a tremulant begins is an argument",
        (
            '        self, notes: Float[Array, "beats ranks"], rate: Float[Array, ""] | None = None\n    )',
            "        self,\n"
            '        notes: Float[Array, "beats ranks"],\n'
            '        rate: Float[Array, ""] | None = None,\n'
            "        *,\n"
            "        phase: float = 0.0,\n"
            "    )",
        ),
        ("jnp.sin(angle))[:, None]", "jnp.sin(angle + phase))[:, None]"),
    ),
    legitimate(
        "organ",
        "a method tells which ranks are silent",
        (
            "    def open_stops(self)",
            '    def silent(self) -> Bool[Array, " ranks"]:\n'
            '        """The ranks of which the stop is not drawn."""\n'
            "        return ~self.drawn\n\n"
            "    def open_stops(self)",
        ),
    ),
    legitimate(
        "organ",
        "what is flattened is listed once",
        (
            "    return (\n"
            "        node.voicing,\n"
            "        node.swell,\n"
            "        node.wind,\n"
            "        node.temperament,\n"
            "        node.drawn,\n"
            "        node.couplers,\n"
            "    ), (node.feet, node.tremulant, node.action, node.chamber)\n",
            "    children, aux = _flatten_with_keys(node)\n"
            "    return tuple(child for _, child in children), aux\n",
        ),
    ),
    legitimate(
        "starlings",
        "no bird is its own neighbour, by an index",
        (
            "        apart = jnp.where(jnp.eye(len(places), dtype=bool), jnp.inf, apart)\n",
            "        apart = apart.at[jnp.diag_indices(len(places))].set(jnp.inf)\n",
        ),
    ),
    legitimate(
        "starlings",
        "a product leaves out who does not lead",
        (
            "pull = jnp.where(self.leaders[None, :], pull, 0)",
            "pull = pull * self.leaders.astype(pull.dtype)",
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATEFUL, *STATELESS)
