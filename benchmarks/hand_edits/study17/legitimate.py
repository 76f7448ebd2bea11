"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "tramway",
        "crowds are kept where stops are not closed",
        (
            "waiting = jnp.where(self.closed, 0, crowd)",
            "waiting = jnp.where(~self.closed, crowd, 0)",
        ),
    ),
    legitimate(
        "tramway",
        "riders are summed by segments",
        (
            "        return jnp.zeros_like(self.patience, riders.dtype).at[self.depot].add(riders)\n",
            "        lines = len(self.patience)\n"
            "        return jax.ops.segment_sum(riders, self.depot, num_segments=lines)\n",
        ),
    ),
    legitimate(
        "tramway",
        "how much is made up is an argument",
        (
            '        self, minutes: Float[Array, " lines"], state: eqx.nn.State\n',
            '        self,\n        minutes: Float[Array, " lines"],\n        state: eqx.nn.State,\n'
            "        *,\n        share: float = 1.0,\n",
        ),
        (
            "jnp.minimum(state.get(self.late), jnp.abs(minutes))",
            "share * jnp.minimum(state.get(self.late), jnp.abs(minutes))",
        ),
    ),
    legitimate(
        "foundry",
        "casts are weighed by a sum of products",
        (
            "jnp.sum(jnp.square(sample - self.scrap[...]))",
            "jnp.vdot(sample - self.scrap[...], sample - self.scrap[...])",
        ),
    ),
    legitimate(
        "foundry",
        "a method tells how many moulds are whole",
        (
            "    def skimmed(self",
            '    def whole(self) -> Int32[Array, ""]:\n'
            '        """How many moulds are not cracked."""\n'
            "        return jnp.sum(~self.cracked[...], dtype=jnp.int32)\n\n"
            "    def skimmed(self",
        ),
    ),
    legitimate(
        "foundry",
        "what is cast at a time has a name",
        (
            "            self.casts[...] += self.ladle * (2 if self.doubled else 1)\n",
            "            ladles = 2 * self.ladle if self.doubled else self.ladle\n"
            "            self.casts[...] = self.casts[...] + ladles\n",
        ),
    ),
    legitimate(
        "violin",
        "the bowing is matched",
        (
            '        if self.bowing == "spiccato":\n'
            "            pull = jnp.tanh(pull)\n"
            '        elif self.bowing == "tremolo":\n'
            "            pull = jnp.sin(2 * pull)\n",
            "        match self.bowing:\n"
            '            case "spiccato":\n'
            "                pull = jnp.tanh(pull)\n"
            '            case "tremolo":\n'
            "                pull = jnp.sin(pull + pull)\n",
        ),
    ),
    legitimate(
        "violin",
        "the average steps towards the weights",
        (
            "                    self.ema_decay * average + (1 - self.ema_decay) * weight\n",
            "                    average + (1 - self.ema_decay) * (weight - average)\n",
        ),
    ),
)
STATELESS: tuple[Edit, ...] = (
    legitimate(
        "lighthouse",
        "a lighthouse has a name",
        (
            "    tuned: bool = eqx.field(static=True)\n",
            "    tuned: bool = eqx.field(static=True)\n    place: str = eqx.field(static=True)\n",
        ),
        (
            "        dtype: DTypeLike | None = None,\n        *,\n",
            '        dtype: DTypeLike | None = None,\n        place: str = "Eddystone",\n        *,\n',
        ),
        ("        self.tuned = tuned\n", "        self.tuned = tuned\n        self.place = place\n"),
    ),
    legitimate(
        "lighthouse",
        "an occulting light is a square of a sine",
        ("1 - jnp.square(jnp.cos(phase))", "jnp.square(jnp.sin(phase))"),
    ),
    legitimate(
        "lighthouse",
        "how strong the air is is an argument",
        (
            '        self, beams: Float[Array, "n lamps"], *, key: PRNGKeyArray\n',
            '        self,\n        beams: Float[Array, "n lamps"],\n        *,\n'
            "        key: PRNGKeyArray,\n        strength: float = 0.1,\n",
        ),
        ("beams + 0.1 * noise", "beams + strength * noise"),
    ),
    legitimate(
        "knitting",
        "the parts of the thread are made by a helper",
        (
            "        spec = self.select_thread()\n"
            "        return (\n"
            "            jax.tree.map(lambda leaf, kept: leaf if kept else None, self, spec),\n"
            "            jax.tree.map(lambda leaf, kept: None if kept else leaf, self, spec),\n"
            "        )\n",
            "        return _parted(self, self.select_thread())\n",
        ),
        (
            "def _flatten(node: Knitting)",
            "def _parted(node: Any, spec: Any) -> tuple[Any, Any]:\n"
            '    """What the filter spec says, and the rest."""\n'
            "    kept = jax.tree.map(lambda leaf, keep: leaf if keep else None, node, spec)\n"
            "    rest = jax.tree.map(lambda leaf, keep: None if keep else leaf, node, spec)\n"
            "    return kept, rest\n\n\n"
            "def _flatten(node: Knitting)",
        ),
    ),
    legitimate(
        "knitting",
        "felting is a sum of the mean and of the cloth",
        (
            "        return middle + (0.4 if wet else self.tension) * (cloth - middle)\n",
            "        kept = 0.4 if wet else self.tension\n"
            "        return (1 - kept) * middle + kept * cloth\n",
        ),
    ),
    legitimate(
        "moth",
        "all of the nearest are sorted",
        ("        _, who = jax.lax.top_k(-apart, few)\n", "        who = jnp.argsort(apart)[:few]\n"),
    ),
    legitimate(
        "moth",
        "a scan has other names, and two beats are unrolled",
        (
            "            course = wing(course)\n            return course, None\n",
            "            return wing(course), None\n",
        ),
        ("jax.lax.scan(layer, course, arrays)", "jax.lax.scan(layer, course, arrays, unroll=2)"),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATEFUL, *STATELESS)
