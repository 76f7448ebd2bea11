"""Edits of the classes without state: a choir, a glacier, a bridge of spans."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_CHOIR: tuple[Edit, ...] = (
    declared(
        "choir",
        "the voices of a section are counted in the default float",
        ("jnp.ones_like(levels), self.section", "jnp.ones(levels.shape), self.section"),
    ),
    declared(
        "choir",
        "how many voices rest is no longer what is asked for",
        ("jax.random.bernoulli(first, rate, notes.shape)", "jax.random.bernoulli(first, 0.2, notes.shape)"),
    ),
    declared(
        "choir",
        "the throat is without breath",
        (
            'lambda path, _: path[0].name in ("formant", "breath"), self',
            'lambda path, _: path[0].name in ("formant",), self',
        ),
    ),
    declared(
        "choir",
        "a choir is tuned equally by default",
        (
            'tuning: Literal["equal", "just", "mean"] = "just",',
            'tuning: Literal["equal", "just", "mean"] = "equal",',
        ),
    ),
    declared(
        "choir",
        "it echoes outdoors, and not in the hall",
        ("sound if self.outdoors else sound", "sound if not self.outdoors else sound"),
    ),
    numbers(
        "choir",
        "the bends of the just and the mean tuning are swapped",
        ('0.1 if self.tuning == "just" else 0.2', '0.2 if self.tuning == "just" else 0.1'),
    ),
)
_GLACIER: tuple[Edit, ...] = (
    declared(
        "glacier",
        "weight decay moves a flow that is calibrated",
        (
            '                path[0].name not in ("melt", "bed", "rock", "slope")\n'
            '                and not (self.calibrated and path[0].name == "flow")\n',
            '                path[0].name not in ("melt", "bed", "rock", "slope")\n',
        ),
    ),
    declared(
        "glacier",
        "a flat glacier has the default dtype, whatever is asked for",
        (
            "bands, flat, jnp.zeros(cells, bool), flat, dtype=dtype, key=key",
            "bands, flat, jnp.zeros(cells, bool), flat, key=key",
        ),
    ),
    declared(
        "glacier",
        "plastic ice is cut off from the stress",
        ("self.softness * jnp.tanh(driven)", "self.softness * jnp.tanh(jax.lax.stop_gradient(driven))"),
    ),
    declared(
        "glacier",
        "rock cracks as ice does",
        ("(stress * self.softness > limit) & ~self.rock", "stress * self.softness > limit"),
    ),
    declared(
        "glacier",
        "as much snow falls on each cell",
        (
            "jax.random.uniform(key, amount.shape, amount.dtype, 0.5, 1.5)",
            "jax.random.uniform(key, (), amount.dtype, 0.5, 1.5)",
        ),
    ),
    numbers(
        "glacier",
        "gusts blow the other way",
        ("fallen = jnp.roll(fallen, 1)", "fallen = jnp.roll(fallen, -1)"),
    ),
    numbers("glacier", "winter is warmer", ("0.2 * warmth", "0.5 * warmth")),
)
_BRIDGE: tuple[Edit, ...] = (
    declared(
        "bridge",
        "the cables are those of the caller",
        (
            "{name: _real(value, asked) for name, value in cables.items()}",
            "{name: jnp.asarray(value, asked) for name, value in cables.items()}",
        ),
    ),
    declared(
        "bridge",
        "rain makes the first span rust",
        ("lambda one: one.pier.rust, self, rust", "lambda one: one.spans[0].rust, self, rust"),
    ),
    declared(
        "bridge",
        "no wind reaches the spans",
        ("load = span(load, windy=windy)", "load = span(load)"),
    ),
    declared(
        "bridge",
        "lorries are counted in the dtype of the traffic",
        ("traffic) > 1, dtype=jnp.int32)", "traffic) > 1, dtype=traffic.dtype)"),
    ),
    declared(
        "bridge",
        "cables are shaken in the order in which they lie in the dict",
        ("sorted(self.cables), jax", "self.cables, jax"),
    ),
    numbers(
        "bridge",
        "the first joint has an arm",
        (
            "arm = jnp.arange(load.shape[0], dtype=load.dtype)",
            "arm = 1 + jnp.arange(load.shape[0], dtype=load.dtype)",
        ),
    ),
)
STATELESS: tuple[Edit, ...] = (*_CHOIR, *_GLACIER, *_BRIDGE)
