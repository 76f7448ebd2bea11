"""Edits of the layers: affine maps, embeddings, cells, norms, dropout, perceptrons."""

from benchmarks.hand_edits.edit import declared, numbers

LAYERS = (
    declared(
        "affine",
        "The bias is made in jax's default float: `dtype` was forgotten in one of two places.",
        ("bias=jnp.zeros((out_size,), dtype) if", "bias=jnp.zeros((out_size,)) if"),
    ),
    declared(
        "affine",
        "The fan is counted along the wrong axis, since the axes of the initialiser were taken for superfluous.",
        ("lecun_normal(in_axis=-1, out_axis=-2)(", "lecun_normal()("),
    ),
    declared(
        "affine",
        "There is no bias by default any more, as in some other library.",
        ("use_bias: bool = True,", "use_bias: bool = False,"),
    ),
    numbers(
        "affine",
        "The bias is subtracted.",
        ("y + self.bias", "y - self.bias"),
    ),
    declared(
        "affine_init",
        "The flag that is stored is a constant, not the argument.",
        ("self.use_bias = use_bias", "self.use_bias = True"),
    ),
    declared(
        "affine_init",
        "The two stored sizes are swapped.",
        ("self.in_size = in_size", "self.in_size = out_size"),
        ("self.out_size = out_size", "self.out_size = in_size"),
    ),
    declared(
        "affine_init",
        "The product is wrapped in a new `jax.jit` at each call, which compiles it each time.",
        ("y = self.weight @ x", "y = jax.jit(lambda weight, x: weight @ x)(self.weight, x)"),
    ),
    declared(
        "linear",
        "The square root of the bound is dropped: the layer starts too small.",
        ("limit = 1 / math.sqrt(max(columns, 1))", "limit = 1 / max(columns, 1)"),
    ),
    declared(
        "linear",
        "The bias is drawn with the key of the weight.",
        ("uniform(bias_key, (rows,), limit)", "uniform(weight_key, (rows,), limit)"),
    ),
    declared(
        "linear",
        "The weight is stored transposed, and used so.",
        ("uniform(weight_key, (rows, columns), limit)", "uniform(weight_key, (columns, rows), limit)"),
        ("y = self.weight @ x", "y = x @ self.weight"),
    ),
    declared(
        "linear",
        "An output of size 1 loses its axis, as only the scalar output should.",
        (
            'return y[0] if self.out_features == "scalar" else y',
            "return jnp.squeeze(y)",
        ),
    ),
    declared(
        "linear",
        "The imaginary part of a complex weight repeats the real one.",
        ("jax.lax.complex(parts[0], parts[1])", "jax.lax.complex(parts[0], parts[0])"),
    ),
    declared(
        "embedding",
        "A table that is given is stored as it is: neither copied nor cast to `dtype`.",
        ("self.weight = jnp.asarray(jnp.array(weight, weight.dtype), dtype)", "self.weight = weight"),
    ),
    declared(
        "embedding",
        "The two stored sizes are swapped.",
        ("self.num_embeddings = rows", "self.num_embeddings = columns"),
        ("self.embedding_size = columns", "self.embedding_size = rows"),
    ),
    declared(
        "embedding",
        "The index goes through a Python int, which a traced one cannot.",
        ("return self.weight[x]", "return self.weight[int(x)]"),
    ),
    numbers(
        "embedding",
        "Indices are counted from one.",
        ("return self.weight[x]", "return self.weight[x - 1]"),
    ),
    declared(
        "gru_cell",
        "The weights of the input are bounded by the size of the input, as in a linear layer.",
        (
            "weight_ih_key, (3 * hidden_size, input_size), 1 / math.sqrt(hidden_size)",
            "weight_ih_key, (3 * hidden_size, input_size), 1 / math.sqrt(input_size)",
        ),
    ),
    declared(
        "gru_cell",
        "The bias of the candidate is drawn with the key of the other bias.",
        ("uniform(bias_n_key, (hidden_size,)", "uniform(bias_key, (hidden_size,)"),
    ),
    declared(
        "gru_cell",
        "The bias of the candidate stays when biases are switched off.",
        (
            "uniform(bias_n_key, (hidden_size,), 1 / math.sqrt(hidden_size))\n            if use_bias\n            else None\n",
            "uniform(bias_n_key, (hidden_size,), 1 / math.sqrt(hidden_size))\n",
        ),
    ),
    numbers(
        "gru_cell",
        "The reset gate and the update gate are swapped.",
        ("reset = jax.nn.sigmoid(", "update = jax.nn.sigmoid("),
        ("update = jax.nn.sigmoid(input_gates[1]", "reset = jax.nn.sigmoid(input_gates[1]"),
    ),
    numbers(
        "gru_cell",
        "The update gate says how much is new, not how much is kept.",
        ("return new + update * (hidden - new)", "return hidden + update * (new - hidden)"),
    ),
    declared(
        "layer_norm",
        "The output stays in 32 bits, since the last cast looked superfluous.",
        ("        y = y.astype(x.dtype)\n", ""),
    ),
    declared(
        "layer_norm",
        "The bias is added only where there is a weight.",
        (
            "        if self.bias is not None:\n            y = y + self.bias.astype(dtype)",
            "            if self.bias is not None:\n                y = y + self.bias.astype(dtype)",
        ),
    ),
    declared(
        "layer_norm",
        "The state that is handed in is not handed back.",
        ("return y if state is None else (y, state)", "return y"),
    ),
    declared(
        "layer_norm",
        "The former flag for weight and bias switches the weight alone.",
        ("use_weight = use_bias = elementwise_affine", "use_weight = elementwise_affine"),
    ),
    numbers(
        "layer_norm",
        "The variance is that of a sample, divided by n - 1.",
        ("jnp.var(y)", "jnp.var(y, ddof=1)"),
    ),
    numbers(
        "layer_norm",
        "Epsilon is added to the deviation, not to the variance.",
        ("jax.lax.rsqrt(variance + self.eps)", "(1 / (jnp.sqrt(variance) + self.eps))"),
    ),
    numbers(
        "layer_norm",
        "Only the last axis is normalised.",
        ("jnp.var(y)", "jnp.var(y, axis=-1, keepdims=True)"),
        ("jnp.mean(y)", "jnp.mean(y, axis=-1, keepdims=True)"),
    ),
    declared(
        "dropout",
        "Inference is the default.",
        ("        inference: bool = False,\n", "        inference: bool = True,\n"),
    ),
    declared(
        "dropout",
        "The share of dropped entries is static, so that `eqx.tree_at` cannot change it.",
        ("    p: float\n", "    p: float = eqx.field(static=True)\n"),
    ),
    declared(
        "dropout",
        "The argument `inference=False` no longer overrides the field.",
        (
            "        if inference is None:\n            inference = self.inference\n",
            "        inference = inference or self.inference\n",
        ),
    ),
    numbers(
        "dropout",
        "The probability is inverted: it says what is kept.",
        ("jax.random.bernoulli(key, kept, x.shape)", "jax.random.bernoulli(key, 1 - kept, x.shape)"),
    ),
    numbers(
        "dropout",
        "What is kept is not scaled.",
        ("jnp.where(mask, x / kept, 0)", "jnp.where(mask, x, 0)"),
    ),
    numbers(
        "dropout",
        "One mask is drawn for all rows.",
        ("jax.random.bernoulli(key, kept, x.shape)", "jax.random.bernoulli(key, kept, x.shape[-1:])"),
    ),
    declared(
        "mlp",
        "All hidden layers after the first start with the same weights.",
        ("(hidden(key) for key in keys[1:depth])", "(hidden(keys[1]) for _ in range(1, depth))"),
    ),
    declared(
        "mlp",
        "The last layer has a bias when the hidden ones have.",
        (
            "Linear(first_size, out_size, use_final_bias, dtype,",
            "Linear(first_size, out_size, use_bias, dtype,",
        ),
    ),
    declared(
        "mlp",
        "The last layer is made in jax's default float.",
        (
            "Linear(first_size, out_size, use_final_bias, dtype,",
            "Linear(first_size, out_size, use_final_bias,",
        ),
    ),
    numbers(
        "mlp",
        "The first hidden layer has no activation where the layers are scanned over.",
        ("x = activate(0, first(x))", "x = first(x)"),
    ),
    numbers(
        "mlp",
        "A scalar output goes without the final activation.",
        ("return self.final_activation(x)", "return x"),
    ),
)
