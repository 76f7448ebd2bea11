"""Edits of the classes without state: a drug in a body, an organ, starlings."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_DOSAGE: tuple[Edit, ...] = (
    declared(
        "dosage",
        "binding is frozen, validated or not",
        ('            + (("binding",) if self.validated else ()),\n', '            + ("binding",),\n'),
    ),
    declared(
        "dosage",
        "leaks are never negative",
        (
            "jax.random.uniform(leak_key, (organs,), dtype, -1.0, 1.0)",
            "jax.random.uniform(leak_key, (organs,), dtype)",
        ),
    ),
    declared(
        "dosage",
        "what flows out has no gradient for the exchange",
        (
            "jnp.sum(self.exchange, axis=0) * now",
            "jnp.sum(jax.lax.stop_gradient(self.exchange), axis=0) * now",
        ),
    ),
    declared(
        "dosage",
        "a plain body leaks",
        ("            leaky=False,\n", ""),
    ),
    declared(
        "dosage",
        "the group names what is derived from one of its fields",
        (
            'lambda path, _: path[0].name in ("raw_clearance", "exchange"), self',
            'lambda path, _: path[0].name in ("clearance", "exchange"), self',
        ),
    ),
    numbers(
        "dosage",
        "only the level is raised to the order",
        (
            "level / (1 + jnp.abs(level)) ** self.order",
            "level / (1 + jnp.abs(level) ** self.order)",
        ),
    ),
)
_ORGAN: tuple[Edit, ...] = (
    declared(
        "organ",
        "a group makes arrays of what it is rebuilt from",
        (
            'fields["loudness"], fields["mouths"] = children',
            'fields["loudness"], fields["mouths"] = map(jnp.asarray, children)',
        ),
    ),
    declared(
        "organ",
        "stops and couplers change places where paths are asked for",
        (
            '        (GetAttrKey("drawn"), node.drawn),\n        (GetAttrKey("couplers"), node.couplers),\n',
            '        (GetAttrKey("couplers"), node.couplers),\n        (GetAttrKey("drawn"), node.drawn),\n',
        ),
    ),
    declared(
        "organ",
        "every chamber is a hyperbolic tangent",
        ("tone = self.chamber(tone) * ", "tone = jnp.tanh(tone) * "),
    ),
    declared(
        "organ",
        "a pitch has a gradient for the temperament",
        (
            "jnp.exp2(jax.lax.stop_gradient(self.temperament)[pipe])",
            "jnp.exp2(self.temperament[pipe])",
        ),
    ),
    numbers(
        "organ",
        "short pipes are low",
        ("return 8 / lengths * jnp.exp2", "return lengths / 8 * jnp.exp2"),
    ),
    numbers(
        "organ",
        "a rank that is coupled takes away from the other",
        ("tone = tone + tone[self.couplers]", "tone = tone - tone[self.couplers]"),
    ),
)
_STARLINGS: tuple[Edit, ...] = (
    declared(
        "starlings",
        "gusts are drawn from the hour alone",
        (
            "one = jax.random.fold_in(self.weather, number)\n",
            "one = jax.random.key(number)\n",
        ),
    ),
    declared(
        "starlings",
        "how far the nearest is becomes a column",
        ("jnp.sqrt(0.01 - closest[:, 0])", "jnp.sqrt(0.01 - closest[:, :1])"),
    ),
    declared(
        "starlings",
        "cohesion is cut off at one deviation",
        ("cohesion_key, -2.0, 2.0, (birds, birds)", "cohesion_key, -1.0, 1.0, (birds, birds)"),
    ),
    numbers(
        "starlings",
        "leaders look, and the others do not",
        ("self.leaders[None, :]", "self.leaders[:, None]"),
    ),
)
STATELESS: tuple[Edit, ...] = (*_DOSAGE, *_ORGAN, *_STARLINGS)
