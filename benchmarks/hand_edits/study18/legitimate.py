"""Changes that are right: refactorings, new arguments, methods and fields, equivalent formulas."""

from benchmarks.hand_edits.edit import Edit, legitimate

STATELESS: tuple[Edit, ...] = (
    legitimate(
        "apiary",
        "the flowers stand at equal angles by a linspace",
        (
            "        turns = 2 * jnp.pi * jnp.arange(count, dtype=angles.dtype) / count\n",
            "        turns = jnp.linspace(\n"
            "            0, 2 * jnp.pi, count, endpoint=False, dtype=angles.dtype\n"
            "        )\n",
        ),
    ),
    legitimate(
        "apiary",
        "a hive has a keeper",
        (
            "    crowned: bool = eqx.field(static=True)\n",
            "    crowned: bool = eqx.field(static=True)\n    keeper: str = eqx.field(static=True)\n",
        ),
        (
            "        dtype: DTypeLike | None = None,\n        *,\n",
            '        dtype: DTypeLike | None = None,\n        keeper: str = "nobody",\n        *,\n',
        ),
        (
            "        self.crowned = crowned\n",
            "        self.crowned = crowned\n        self.keeper = keeper\n",
        ),
    ),
    legitimate(
        "apiary",
        "the fullest cells are the top few",
        (
            "        return jnp.argsort(-weights, axis=1)[:, :most].astype(jnp.int32)\n",
            "        _, fullest = jax.lax.top_k(weights, most)\n        return fullest.astype(jnp.int32)\n",
        ),
    ),
    legitimate(
        "glacier",
        "two strata of a quake are unrolled",
        (
            "(arrays, jax.random.split(key, self.depth))\n        )\n",
            "(arrays, jax.random.split(key, self.depth)), unroll=2\n        )\n",
        ),
    ),
    legitimate(
        "glacier",
        "slides are indexed by stone",
        (
            "        return moved, jnp.take_along_axis(\n"
            "            moved - places, self.resting[:, None], axis=1\n"
            "        )[:, 0]\n",
            "        stones = jnp.arange(len(self.resting))\n"
            "        return moved, (moved - places)[stones, self.resting]\n",
        ),
    ),
    legitimate(
        "glacier",
        "a method tells how steep the rock is",
        (
            "    def snowed(self",
            '    def steepness(self) -> Float[Array, ""]:\n'
            '        """How steep the rock is at most."""\n'
            "        return jnp.max(jnp.abs(self.slope))\n\n"
            "    def snowed(self",
        ),
    ),
    legitimate(
        "caravan",
        "the road is matched",
        (
            '        if self.road == "salt":\n'
            "            borne = self.song(borne) - self.thirst\n"
            '        elif self.road == "wadi":\n'
            "            borne = borne + borne[self.chain]\n",
            "        match self.road:\n"
            '            case "salt":\n'
            "                borne = self.song(borne) - self.thirst\n"
            '            case "wadi":\n'
            "                borne = borne + jnp.take(borne, self.chain)\n",
        ),
    ),
    legitimate(
        "caravan",
        "camels tire by a step towards the wind",
        (
            "            tired = (1 - share) * tired[self.chain] + share * self.song(wind)\n"
            "            return tired, tired\n",
            "            ahead = tired[self.chain]\n"
            "            ahead = ahead + share * (self.song(wind) - ahead)\n"
            "            return ahead, ahead\n",
        ),
    ),
    legitimate(
        "caravan",
        "what stumbles is counted",
        (
            "jnp.sum((stones > bound) & ~self.lame, axis=1, dtype=jnp.int32)",
            "jnp.count_nonzero((stones > bound) & ~self.lame, axis=1).astype(jnp.int32)",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (
    legitimate(
        "carillon",
        "the wind moves what is heard by a concatenation",
        (
            "            return jnp.roll(heard, 1), state\n",
            "            return jnp.concatenate([heard[-1:], heard[:-1]]), state\n",
        ),
    ),
    legitimate(
        "carillon",
        "how much the heat bends is an argument",
        (
            '        self, tones: Float[Array, "n bells"], *, key: PRNGKeyArray\n',
            '        self,\n        tones: Float[Array, "n bells"],\n        *,\n'
            "        key: PRNGKeyArray,\n        bend: float = 0.05,\n",
        ),
        ("tones + 0.05 * jax.random.normal", "tones + bend * jax.random.normal"),
    ),
    legitimate(
        "reef",
        "the silt steps towards the food",
        (
            "self.silt[...] = 0.9 * self.silt[...] + 0.1 * food",
            "self.silt[...] += 0.1 * (food - self.silt[...])",
        ),
    ),
    legitimate(
        "reef",
        "a method tells whether a tide is to be expected",
        (
            "    def rinsed(",
            '    def untouched(self) -> Bool[Array, ""]:\n'
            '        """Whether there was no tide yet."""\n'
            "        return self.tides[...] == 0\n\n"
            "    def rinsed(",
        ),
    ),
    legitimate(
        "perfumery",
        "what the votes differ by is a mean of squares",
        (
            "jnp.var(liked, axis=0)",
            "jnp.mean(jnp.square(liked - jnp.mean(liked, axis=0)), axis=0)",
        ),
    ),
    legitimate(
        "perfumery",
        "how much is spilled is an argument",
        (
            "key: PRNGKeyArray, wiped: bool = False\n",
            "key: PRNGKeyArray, wiped: bool = False, share: float = 1.0\n",
        ),
        (
            "lost = mixes * jax.random.uniform(drop, mixes.shape, mixes.dtype)",
            "lost = share * mixes * jax.random.uniform(drop, mixes.shape, mixes.dtype)",
        ),
    ),
)
LEGITIMATE: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
