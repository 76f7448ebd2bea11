"""Edits in the modules that lie beside the classes, and in generated examples."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "spectral_dense",
        "a state of another dtype is restored",
        ("path: (type(leaf), jnp.shape(leaf), leaf.dtype)", "path: (type(leaf), jnp.shape(leaf))"),
        file="nnx_state",
    ),
    declared(
        "spectral_dense",
        "loading updates the module that it is given",
        ("graphdef, state = nnx.split(like)", "state = nnx.state(like)"),
        (
            "return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))",
            "nnx.update(like, _replaced(state, load_tree(path, values, static)))\n    return like",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "tuning",
        "a file is written in its place, so that half of one may stay",
        (
            "        yield temporary\n"
            '        with open(temporary, "rb+") as file:\n'
            "            os.fsync(file.fileno())\n"
            "        os.replace(temporary, target)\n",
            "        yield target\n",
        ),
        file="serialisation",
    ),
    declared(
        "mlp",
        "complex arrays are not trained",
        ("jnp.issubdtype(node.dtype, jnp.inexact)", "jnp.issubdtype(node.dtype, jnp.floating)"),
        file="filter_specs",
    ),
    declared(
        "decoder",
        "weight decay moves matrices alone, whatever the classes say",
        (
            '    return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)\n',
            '    return hasattr(node, "ndim") and node.ndim > 1\n',
        ),
        file="weight_decay",
    ),
    declared(
        "train_state",
        "what the optimiser takes besides is not handed on",
        ("self.opt_state, weights, **extra_args", "self.opt_state, weights"),
    ),
    declared(
        "train_state",
        "the average is held in 32 bits, whatever the weights have",
        ("jnp.array(leaf, jnp.promote_types(leaf.dtype, jnp.float32))", "jnp.array(leaf, jnp.float32)"),
    ),
    declared(
        "mlp",
        "all scanned layers begin with the same weights",
        (
            "jax.vmap(hidden)(keys[1:depth])",
            "eqx.filter_vmap(lambda: hidden(keys[1]), axis_size=depth - 1)()",
        ),
    ),
    declared(
        "dropout",
        "a gradient reaches the share that is dropped",
        ("kept = 1 - jax.lax.stop_gradient(self.p)", "kept = 1 - self.p"),
    ),
    declared(
        "low_rank_linear",
        "the base stays frozen, whatever the flag says",
        ('but=("base",) if self.freeze_base else ()', 'but=("base",)'),
    ),
)
