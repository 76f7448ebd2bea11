"""Edits of the classes with state, with Variables, and of a train state: a vineyard, a printer, corals."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_VINEYARD: tuple[Edit, ...] = (
    declared(
        "vineyard",
        "what a day gains is added in 32 bits",
        (
            "state.get(self.sugar) + gain / self.capacity)",
            "state.get(self.sugar) + (gain / self.capacity).astype(jnp.float32))",
        ),
    ),
    declared(
        "vineyard",
        "an outlook is what has happened",
        (
            "        return state.get(self.sugar) + gains, state\n",
            "        sugar = state.get(self.sugar) + gains\n"
            "        return sugar, state.set(self.sugar, sugar[-1])\n",
        ),
    ),
    declared(
        "vineyard",
        "plots bear one cold night",
        ("*, limit: int = 2", "*, limit: int = 1"),
    ),
    declared(
        "vineyard",
        "bushes are refused",
        (
            '            and self.pruning != "cordon"\n            and self.pruning != "bush"\n',
            '            and self.pruning != "cordon"\n',
        ),
    ),
    declared(
        "vineyard",
        "how vines face the sun is trained",
        (
            'path[0].name not in ("aspect", "shaded", "sugar", "moisture", "days")',
            'path[0].name not in ("shaded", "sugar", "moisture", "days")',
        ),
    ),
    declared(
        "vineyard",
        "whether it is inference is static",
        ("    inference: bool\n", "    inference: bool = eqx.field(static=True)\n"),
    ),
    numbers(
        "vineyard",
        "nights are cold below the base, not below its negative",
        ("nights < -self.base", "nights < self.base"),
    ),
    numbers(
        "vineyard",
        "the richest must is found before the skins are added",
        (
            "        if skins is not None:\n",
            "        richest = jnp.argmax(must).astype(jnp.int32)\n        if skins is not None:\n",
        ),
        ("        return must, jnp.argmax(must).astype(jnp.int32)\n", "        return must, richest\n"),
    ),
)
_PRINTER: tuple[Edit, ...] = (
    declared(
        "printer",
        "a page of two sides is one page",
        ("self.pages[...] += 2 if self.duplex else 1", "self.pages[...] += 1"),
    ),
    declared(
        "printer",
        "pigments are the same for every seed",
        (
            "                rngs.params(), (inks, bands), dtype\n",
            "                jax.random.key(0), (inks, bands), dtype\n",
        ),
    ),
    declared(
        "printer",
        "a profile is a kind of Param",
        ("class Profile(nnx.Variable[_Value]):", "class Profile(nnx.Param[_Value]):"),
    ),
    declared(
        "printer",
        "a refill puts in another Variable",
        (
            "        self.tank[...] = jnp.maximum(before, jnp.clip(share, 0, 1))\n",
            "        self.tank = Supply(jnp.maximum(before, jnp.clip(share, 0, 1)))\n",
        ),
    ),
    declared(
        "printer",
        "the gap has no gradient",
        ("jnp.exp(-jnp.abs(gap))", "jnp.exp(-jnp.abs(jax.lax.stop_gradient(gap)))"),
    ),
    numbers(
        "printer",
        "coarse dots are clipped to the levels of fine ones",
        ("jnp.minimum(dots, levels - 1)", "jnp.minimum(dots, self.levels - 1)"),
    ),
)
_CORAL: tuple[Edit, ...] = (
    declared(
        "coral",
        "the mirror hands no gradient on",
        ("        return self.polyps.T\n", "        return jax.lax.stop_gradient(self.polyps).T\n"),
    ),
    declared(
        "coral",
        "larvae are mixed by the key of their luck",
        ("jax.random.permutation(shuffle, larvae)", "jax.random.permutation(luck, larvae)"),
    ),
    declared(
        "coral",
        "an averaged model has the bits of the average",
        (
            "        weights, rest = eqx.partition(self.model, _trained(self.model))\n"
            "        return eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)\n",
            "        rest = eqx.filter(self.model, _trained(self.model), inverse=True)\n"
            "        return eqx.combine(self.ema, rest)\n",
        ),
    ),
    declared(
        "coral",
        "all steps have one key",
        ("jax.random.fold_in(self.key, self.step)", "jax.random.split(self.key)[0]"),
    ),
    numbers(
        "coral",
        "the average takes the weights of before the step",
        (
            "            weights = optax.apply_updates(weights, updates)\n            ema = ",
            "            ema = ",
        ),
        (
            "                self.ema,\n                weights,\n            )\n",
            "                self.ema,\n                weights,\n            )\n"
            "            weights = optax.apply_updates(weights, updates)\n",
        ),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_VINEYARD, *_PRINTER, *_CORAL)
