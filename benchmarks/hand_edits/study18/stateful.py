"""Edits of the classes with state, with Variables, and of a train state: a carillon, a reef, a perfumery."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_CARILLON: tuple[Edit, ...] = (
    declared(
        "carillon",
        "the level begins in jax's dtype",
        ("jnp.full((bells,), 0.3, dtype)", "jnp.full((bells,), 0.3)"),
    ),
    declared(
        "carillon",
        "hours are struck twice unless it is said",
        ("twice: bool = False", "twice: bool = True"),
    ),
    declared(
        "carillon",
        "frost is drawn in the default dtype",
        (
            "jax.random.uniform(frost, (len(tones), 1), tones.dtype, 0.9, 1.1)",
            "jax.random.uniform(frost, (len(tones), 1), minval=0.9, maxval=1.1)",
        ),
    ),
    declared(
        "carillon",
        "a soft stroke is not padded",
        ("self.clapper(pressed, padded=soft)", "self.clapper(pressed)"),
    ),
    declared(
        "carillon",
        "the clapper is made of the key that was split",
        ("dtype, key=clapper_key)", "dtype, key=key)"),
    ),
    numbers(
        "carillon",
        "the bells ring of all blows of a batch together",
        ('jax.lax.pmean(blow, "batch")', 'jax.lax.psum(blow, "batch")'),
    ),
)
_REEF: tuple[Edit, ...] = (
    declared(
        "reef",
        "all terraces are one",
        (
            "[nnx.Linear(currents, currents, rngs=rngs) for _ in range(depth)]",
            "[nnx.Linear(currents, currents, rngs=rngs)] * depth",
        ),
    ),
    declared(
        "reef",
        "rinsed silt is a Variable of no kind",
        (
            "        self.silt[...] = before * jax.nn.sigmoid(-surge)\n",
            "        self.silt = nnx.Variable(before * jax.nn.sigmoid(-surge))\n",
        ),
    ),
    declared(
        "reef",
        "corals grow on a slope as in a lagoon",
        ('if self.zone == "slope" else food', 'if self.zone == "crest" else food'),
    ),
    declared(
        "reef",
        "the moon is cast to jax's dtype",
        ("self.moon = Almanac(_real(moon))", "self.moon = Almanac(jnp.array(moon, dtype))"),
    ),
    numbers(
        "reef",
        "a spring tide counts half of another",
        ("+= 2 if self.spring else 1", "+= 1 if self.spring else 2"),
    ),
    numbers(
        "reef",
        "currents cool by the days, and not by their square",
        ("jnp.exp(-rate * jnp.square(days))", "jnp.exp(-rate * jnp.abs(days))"),
    ),
)
_PERFUMERY: tuple[Edit, ...] = (
    declared(
        "perfumery",
        "musk is read in few bits",
        ("        ) - self.musk\n", "        ) - self.musk.astype(self.compute_dtype)\n"),
    ),
    declared(
        "perfumery",
        "a still that is not trained decays",
        (
            '                path[0].name not in ("musk", "zest", "sealed", "shelf")\n'
            '                and not (self.distilled and path[0].name == "still")\n',
            '                path[0].name not in ("musk", "zest", "sealed", "shelf")\n',
        ),
    ),
    declared(
        "perfumery",
        "the averaged model has the bits of the average",
        ("eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)", "eqx.combine(self.ema, rest)"),
    ),
    numbers(
        "perfumery",
        "a house likes what the votes differ on",
        ("jnp.mean(liked, axis=0) - self.doubt", "jnp.mean(liked, axis=0) + self.doubt"),
    ),
)
STATEFUL: tuple[Edit, ...] = (*_CARILLON, *_REEF, *_PERFUMERY)
