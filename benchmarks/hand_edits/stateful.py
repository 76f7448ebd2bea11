"""Edits of what has state, of closures, train states, NNX modules, bases, and the helper modules."""

from benchmarks.hand_edits.edit import declared, numbers

STATEFUL = (
    declared(
        "abstract_norm",
        "The method that subclasses must define is no longer abstract.",
        ("    @abc.abstractmethod\n", ""),
    ),
    declared(
        "abstract_norm",
        "A field of the base is no longer abstract.",
        ('gain: eqx.AbstractVar[Float[Array, " size"]]', 'gain: Float[Array, " size"]'),
    ),
    declared(
        "loop_condition",
        "The greatest number of steps is stored as it is given.",
        ("steps=_integer(steps, jnp.int32)", "steps=steps"),
    ),
    declared(
        "loop_condition",
        "Only the structure of the arguments is compared, not their shapes and dtypes.",
        ("if given != self.structure:", "if given[1] != self.structure[1]:"),
    ),
    numbers(
        "loop_condition",
        "One step too many is taken.",
        ("step < self.steps", "step <= self.steps"),
    ),
    numbers(
        "loop_condition",
        "The loop goes on while either condition holds.",
        ("(step < self.steps) & (", "(step < self.steps) | ("),
    ),
    numbers(
        "loop_condition",
        "The sign of the residual matters.",
        ("jnp.max(jnp.abs(residual))", "jnp.max(residual)"),
    ),
    declared(
        "solver_term",
        "The drive is constant: the time was left out.",
        ("jnp.sin(self.frequency * t)", "jnp.sin(self.frequency)"),
    ),
    numbers(
        "solver_term",
        "The damping drives.",
        ("- self.damping * y", "+ self.damping * y"),
    ),
    numbers(
        "solver_term",
        "The matrix is transposed.",
        ("self.matrix @ y", "y @ self.matrix"),
    ),
    declared(
        "running_centre",
        "The variance starts at zero.",
        ("eqx.nn.StateIndex(jnp.ones((size,), dtype))", "eqx.nn.StateIndex(jnp.zeros((size,), dtype))"),
    ),
    declared(
        "running_centre",
        "The mean is that of one example, not of the batch.",
        ('mean = jax.lax.pmean(x, "batch")', "mean = x"),
    ),
    declared(
        "running_centre",
        "The statistics move at inference, and only there.",
        ("if not self.inference:", "if self.inference:"),
    ),
    declared(
        "running_centre",
        "The new mean is written to a state that is then dropped.",
        (
            "            state = state.set(\n                self.mean,",
            "            _ = state.set(\n                self.mean,",
        ),
    ),
    declared(
        "running_centre",
        "The flag for inference is static, so that `eqx.nn.inference_mode` cannot change it.",
        ("    inference: bool = False\n", "    inference: bool = eqx.field(static=True, default=False)\n"),
    ),
    numbers(
        "running_centre",
        "The decay of the variance is taken the wrong way round.",
        (
            "self.decay * state.get(self.variance) + (1 - self.decay) * variance",
            "(1 - self.decay) * state.get(self.variance) + self.decay * variance",
        ),
    ),
    numbers(
        "running_centre",
        "The variance is the mean of the squares, not of the squared distances from the mean.",
        ("(x - mean) ** 2", "x**2"),
    ),
    declared(
        "nnx_block",
        "The running mean is a parameter.",
        ("self.mean = nnx.BatchStat(", "self.mean = nnx.Param("),
    ),
    declared(
        "nnx_block",
        "The calls are no longer counted.",
        ("        self.calls[...] += 1\n", ""),
    ),
    declared(
        "nnx_block",
        "One layer stands for all.",
        (
            "[nnx.Linear(size, size, param_dtype=dtype, rngs=rngs) for _ in range(depth)]",
            "[nnx.Linear(size, size, param_dtype=dtype, rngs=rngs)] * depth",
        ),
    ),
    declared(
        "nnx_block",
        "The snapshot is the live state, which follows what the module does later.",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    declared(
        "nnx_block",
        "A state is restored without a look at the type of each Variable.",
        ("(type(leaf), jnp.shape(leaf), leaf.dtype)", "(jnp.shape(leaf), leaf.dtype)"),
        file="nnx_state",
    ),
    declared(
        "nnx_block",
        "Loading writes into the example that it was given.",
        (
            "return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))",
            "nnx.update(like, _replaced(state, load_tree(path, values, static)))\n    return like",
        ),
        file="nnx_serialisation",
    ),
    numbers(
        "nnx_block",
        "The momentum is taken the wrong way round.",
        (
            "self.momentum * self.mean[...] + (1 - self.momentum) * x",
            "(1 - self.momentum) * self.mean[...] + self.momentum * x",
        ),
    ),
    numbers(
        "nnx_block",
        "The input is centred by the mean as it was before the call.",
        (
            "        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x\n"
            "        y = self.mix[...] @ (x - self.mean[...])\n",
            "        y = self.mix[...] @ (x - self.mean[...])\n"
            "        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x\n",
        ),
    ),
    numbers(
        "nnx_block",
        "The block has lost its residual.",
        ("return x + y", "return y"),
    ),
    declared(
        "train_state",
        "The decay of the average is taken the wrong way round.",
        (
            "self.ema_decay * average + (1 - self.ema_decay) * weight",
            "(1 - self.ema_decay) * average + self.ema_decay * weight",
        ),
    ),
    declared(
        "train_state",
        "The average is one step behind: it takes the weights as they were before the update.",
        (
            "                self.ema,\n                weights,\n",
            "                self.ema,\n                eqx.filter(self.model, spec),\n",
        ),
    ),
    declared(
        "train_state",
        "Steps are no longer counted.",
        ("step=self.step + 1", "step=self.step"),
    ),
    declared(
        "train_state",
        "The key of a step does not depend on the step.",
        ("jax.random.fold_in(self.key, self.step)", "jax.random.split(self.key)[0]"),
    ),
    declared(
        "train_state",
        "The averaged model has the last weights.",
        ("jax.tree.map(_with_dtype_of, weights, self.ema)", "weights"),
    ),
    declared(
        "train_state",
        "The model is that of the caller, not a copy.",
        ("        model = _copied(model)\n", ""),
    ),
    declared(
        "train_state",
        "The average is kept in 16 bits where the weights are.",
        ("jnp.promote_types(leaf.dtype, jnp.float32)", "leaf.dtype"),
    ),
    declared(
        "train_state",
        "Further arguments do not reach the optimiser.",
        ("self.opt_state, weights, **extra_args\n", "self.opt_state, weights\n"),
    ),
    declared(
        "stack",
        "The checksums of a file are no longer compared.",
        ("if zlib.crc32(data) != sums.get(place):", "if False:"),
        file="serialisation",
    ),
    declared(
        "random_features",
        "A key that was saved is loaded as one of the default implementation.",
        ("jax.random.wrap_key_data(new, impl=_key_impl(like))", "jax.random.wrap_key_data(new)"),
        file="serialisation",
    ),
    declared(
        "table_bypass",
        "A file that has more than the example is let through.",
        ("for place in {**there, **here}", "for place in here"),
        ("for place in {**leaves, **tensors}:", "for place in leaves:"),
        file="serialisation",
    ),
)
