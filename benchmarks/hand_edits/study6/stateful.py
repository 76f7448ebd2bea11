"""Edits in neurons, an agent, and a training: what they hold from call to call, and methods."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

SPIKING: tuple[Edit, ...] = (
    declared(
        "spiking",
        "neurons at rest still count from before",
        ("        self.ticks[...] = jnp.zeros_like(self.ticks[...])\n", ""),
    ),
    declared(
        "spiking",
        "the gain is no parameter",
        (
            "self.gain = nnx.Param(jnp.ones((size,), dtype))",
            "self.gain = nnx.Variable(jnp.ones((size,), dtype))",
        ),
    ),
    declared(
        "spiking",
        "the threshold adapts only where spikes lower the voltage",
        (
            "        if self.threshold is not None:\n            self.threshold[...] =",
            "        if self.threshold is not None and self.soft:\n            self.threshold[...] =",
        ),
    ),
    declared(
        "spiking",
        "each tick makes a new Variable for the voltage",
        (
            "self.voltage[...] = self.leak * left + current",
            "self.voltage = nnx.Cache(self.leak * left + current)",
        ),
    ),
    declared(
        "spiking",
        "a snapshot follows the module",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    numbers(
        "spiking",
        "the threshold follows spikes as fast as it should be slow",
        (
            "self.leak * self.threshold[...] + (1 - self.leak) * (",
            "(1 - self.leak) * self.threshold[...] + self.leak * (",
        ),
    ),
)

AGENT: tuple[Edit, ...] = (
    declared(
        "agent",
        "batches are taken into account in inference as well",
        ("        if not self.inference:\n", "        if not self.inference or x.shape[0] > 1:\n"),
    ),
    declared(
        "agent",
        "the deviation of nothing divides by zero",
        (
            "state.get(self.squares) / jnp.maximum(state.get(self.count), 1) + 1e-4",
            "state.get(self.squares) / state.get(self.count) + 1e-4",
        ),
    ),
    declared(
        "agent",
        "the goal moves the trunk even where values are detached",
        (
            "hidden, goal = jax.lax.stop_gradient(hidden), jax.lax.stop_gradient(goal)",
            "hidden = jax.lax.stop_gradient(hidden)",
        ),
    ),
    numbers(
        "agent",
        "two means that are apart add too little to the squares",
        (
            "+ apart**2 * state.get(self.count) * x.shape[0] / total,",
            "+ apart**2 * state.get(self.count) / total,",
        ),
    ),
)

TEACHER: tuple[Edit, ...] = (
    declared(
        "teacher",
        "both views are moved by the same noise",
        (
            "x + self.noise * jax.random.normal(strong, x.shape, x.dtype)",
            "x + self.noise * jax.random.normal(weak, x.shape, x.dtype)",
        ),
        ("weak, strong = jax.random.split(self.step_key)", "weak, _ = jax.random.split(self.step_key)"),
    ),
    declared(
        "teacher",
        "the student teaches itself",
        ("jax.nn.softmax(self.averaged()(x))", "jax.nn.softmax(self.model(x))"),
    ),
    declared(
        "teacher",
        "the model is not copied",
        ("        model = _copied(model)\n", ""),
    ),
    declared(
        "teacher",
        "the average has as few bits as the weights",
        (
            "lambda leaf: jnp.array(leaf, jnp.promote_types(leaf.dtype, jnp.float32)),",
            "jnp.array,",
        ),
    ),
    declared(
        "teacher",
        "the labels are counted by a Python number",
        ("told=jnp.zeros((), jnp.int32)", "told=0"),
    ),
    numbers(
        "teacher",
        "what the teacher is sure of counts less",
        ("self.sure, loss, 0.2 * loss)", "self.sure, 0.2 * loss, loss)"),
    ),
)

STATEFUL: tuple[Edit, ...] = (*SPIKING, *AGENT, *TEACHER)
