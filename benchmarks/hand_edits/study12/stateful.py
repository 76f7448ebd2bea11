"""Edits of the classes that change: a filter with a carry, an echo of NNX, a sprinter with state and a coach."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

_SEISMOGRAPH: tuple[Edit, ...] = (
    declared(
        "seismograph",
        "a blind step hands on the belief that it was given",
        ("return ahead, surprise", "return belief, surprise"),
    ),
    declared(
        "seismograph",
        "steps begin as a Python number",
        (
            "return Belief(still, jnp.ones_like(self.trust), jnp.zeros((), jnp.int32))",
            "return Belief(still, jnp.ones_like(self.trust), 0)",
        ),
    ),
    declared(
        "seismograph",
        "stations that are offline give alarms",
        ("jnp.sum(above & self.online, axis=0", "jnp.sum(above, axis=0"),
    ),
    declared(
        "seismograph",
        "a record is followed from rest",
        ("jax.lax.scan(step, belief, record)[1]", "jax.lax.scan(step, self.initial(), record)[1]"),
    ),
    declared(
        "seismograph",
        "gradients end at the belief before",
        ("        mean = belief.mean\n", "        mean = jax.lax.stop_gradient(belief.mean)\n"),
    ),
    numbers(
        "seismograph",
        "the spread keeps what it should lose",
        ("(1 - rate) * ahead.spread", "rate * ahead.spread"),
    ),
    numbers(
        "seismograph",
        "one turn too few is made",
        ("for _ in range(self.order):", "for _ in range(self.order - 1):"),
    ),
)
_DELAY: tuple[Edit, ...] = (
    declared(
        "delay",
        "what is only followed counts as played",
        (
            "        return jnp.sqrt(self.level[...])\n",
            "        self.played[...] += 1\n        return jnp.sqrt(self.level[...])\n",
        ),
    ),
    declared("delay", "the line is a statistic", ("self.line = nnx.Cache(", "self.line = nnx.BatchStat(")),
    declared(
        "delay",
        "all lines hiss as a tape does",
        ('amount = 0.1 if self.mode == "tape" else 0.01', "amount = 0.1"),
    ),
    declared(
        "delay",
        "the colour is drawn from a seed of its own",
        (
            "self.colour = nnx.Linear(channels, channels, rngs=rngs)",
            "self.colour = nnx.Linear(channels, channels, rngs=nnx.Rngs(0))",
        ),
    ),
    numbers(
        "delay",
        "channels are turned round in the tail",
        ("gain * self.line[...][::-1]", "gain * self.line[...][:, ::-1]"),
    ),
)
_SPRINT: tuple[Edit, ...] = (
    declared(
        "sprint",
        "a step keeps the state of the model as it was",
        ("            state=state,\n            ema=ema,\n", "            ema=ema,\n"),
    ),
    declared("sprint", "the state is not copied", ("        state = _copied(state)\n", "")),
    declared(
        "sprint",
        "no margin is added to the patience",
        ("return self.waited > self.patience + margin", "return self.waited > self.patience"),
    ),
    declared(
        "sprint",
        "the target has a gradient",
        ("away = track - jax.lax.stop_gradient(self.target)", "away = track - self.target"),
    ),
    numbers("sprint", "uphill costs nearly all breath", ("breath = 0.5 * breath", "breath = 0.05 * breath")),
)
STATEFUL: tuple[Edit, ...] = (*_SEISMOGRAPH, *_DELAY, *_SPRINT)
