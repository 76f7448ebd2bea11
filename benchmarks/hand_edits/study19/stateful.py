"""Edits of the classes with state: two of Flax with statistics and a count, a replay buffer, an optimiser, a norm with `eqx.nn.State`."""

from benchmarks.hand_edits.edit import Edit, declared, legitimate, numbers

STATEFUL: tuple[Edit, ...] = (
    declared(
        "conv_ne_xt_block",
        "python side effect: counter is a python int",
        ("self.seen = nnx.BatchStat(jnp.zeros((), jnp.int32))", "self.seen = 0"),
        ("self.seen[...] += x.shape[0]", "self.seen += x.shape[0]"),
    ),
    declared(
        "conv_ne_xt_block",
        "plain array for a Param: gamma is never trained",
        (
            "nnx.Param(jnp.full((features,), layer_scale, jnp.float32))",
            "jnp.full((features,), layer_scale, jnp.float32)",
        ),
    ),
    numbers("conv_ne_xt_block", "residual forgotten", ("return x + y", "return y")),
    declared(
        "replay_buffer",
        "capacity as a leaf: pytree_node=False forgotten",
        ("capacity: int = flax.struct.field(pytree_node=False)", "capacity: int"),
    ),
    declared(
        "replay_buffer",
        "key ignored: sample draws from key(0)",
        ("jax.random.randint(key, (batch_size,)", "jax.random.randint(jax.random.key(0), (batch_size,)"),
    ),
    numbers(
        "replay_buffer",
        "off by one: position modulo capacity - 1",
        ("(self.position + 1) % self.capacity", "(self.position + 1) % (self.capacity - 1)"),
    ),
    declared(
        "graph_conv",
        "stop_gradient lost of the running scale",
        ("jax.lax.stop_gradient(jnp.mean(jnp.abs(hidden), axis=0))", "jnp.mean(jnp.abs(hidden), axis=0)"),
    ),
    declared(
        "graph_conv",
        "segment_sum without num_segments: no jit",
        (
            "jax.ops.segment_sum(messages, receivers, num_segments=count)",
            "jax.ops.segment_sum(messages, receivers)",
        ),
    ),
    numbers(
        "graph_conv",
        "messages of the receivers, not the senders",
        ("self.message(nodes)[senders]", "self.message(nodes)[receivers]"),
    ),
    declared(
        "adam_w",
        "mu and nu share buffers: donation fails",
        (
            "        return cls(\n            count=jnp.zeros((), jnp.int32),\n            mu=jax.tree.map(jnp.zeros_like, params),\n            nu=jax.tree.map(jnp.zeros_like, params),",
            "        zeros = jax.tree.map(jnp.zeros_like, params)\n        return cls(\n            count=jnp.zeros((), jnp.int32),\n            mu=zeros,\n            nu=zeros,",
        ),
    ),
    declared(
        "adam_w", "weak type: rate without a dtype", ("jnp.asarray(rate, jnp.float32)", "jnp.asarray(rate)")
    ),
    numbers(
        "adam_w",
        "wrong constant: b2 in the correction of mu",
        ("mu_scale = 1 / (1 - self.b1 **", "mu_scale = 1 / (1 - self.b2 **"),
    ),
    declared(
        "running_norm",
        "state not returned: result of state.set dropped",
        (
            "            state = state.set(self.stats, (mean, var))",
            "            state.set(self.stats, (mean, var))",
        ),
    ),
    declared(
        "running_norm",
        "lambda field: an activation that is a leaf, another one each time",
        ("    inference: bool\n", "    inference: bool\n    activation: Callable\n"),
        (
            "        self.inference = inference\n",
            "        self.inference = inference\n        self.activation = lambda value: value\n",
        ),
        (
            "return self.gain * normed + self.bias, state",
            "return self.activation(self.gain * normed + self.bias), state",
        ),
        ("import equinox as eqx\n", "from collections.abc import Callable\n\nimport equinox as eqx\n"),
    ),
    numbers(
        "running_norm",
        "axis forgotten: mean over everything, broadcast by accident",
        ("jnp.mean(x, axis=0)", "jnp.mean(x)"),
    ),
    legitimate(
        "replay_buffer",
        "property is_full added",
        (
            "    def mean_reward(self)",
            '    @property\n    def is_full(self) -> jax.Array:\n        """Whether the next transition overwrites one."""\n        return self.size == self.capacity\n\n    def mean_reward(self)',
        ),
    ),
    legitimate(
        "graph_conv",
        "gather before the linear layer",
        ("self.message(nodes)[senders]", "self.message(nodes[senders])"),
    ),
    legitimate(
        "running_norm",
        "exponential mean as an increment",
        ("mean = self.momentum * mean + rest * batch_mean", "mean = mean + rest * (batch_mean - mean)"),
        ("var = self.momentum * var + rest * batch_var", "var = var + rest * (batch_var - var)"),
    ),
)
