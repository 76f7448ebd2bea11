"""Edits of helper modules, of which a class of `specs/` or a generated example is the user, and of generated examples."""

from benchmarks.hand_edits.edit import Edit, declared, numbers

HELPERS: tuple[Edit, ...] = (
    declared(
        "replay",
        "a file whose bytes changed is loaded",
        (
            "        if zlib.crc32(data) != sums.get(place):\n"
            '            raise ValueError(f"`{path}` is damaged: the checksum of `{place}` is wrong")\n',
            "",
        ),
        file="serialisation",
    ),
    declared(
        "stack",
        "a function of another module with the same name passes for the one that was saved",
        ('return ".".join((*public, name))', "return name"),
        file="serialisation",
    ),
    declared(
        "low_rank_linear",
        "the filter spec has one False for a whole sub-module that is left out",
        ("            return jax.tree.map(lambda _: False, value)\n", "            return False\n"),
        file="filter_specs",
    ),
    declared(
        "lru",
        "the mask for weight decay asks each array, and no layer",
        ("jax.tree.map(_answer, tree, is_leaf=_answers)", "jax.tree.map(_answer, tree)"),
        file="weight_decay",
    ),
    declared(
        "monitor",
        "the first type that fits decides about a Variable, and not the nearest",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = next((kind for kind in functions if isinstance(node, kind)), None)",
        ),
        file="nnx_state",
    ),
    declared(
        "train_state",
        "the state of the optimiser takes whatever dtype the update gives",
        ("opt_state=jax.tree.map(_with_dtype_of, self.opt_state, opt_state)", "opt_state=opt_state"),
    ),
    declared(
        "dropout",
        "an explicit `inference=False` no longer wins over the field",
        (
            "        if inference is None:\n            inference = self.inference\n",
            "        inference = inference or self.inference\n",
        ),
    ),
    declared(
        "mlp",
        "scanned hidden layers begin with the key of the first layer",
        ("jax.vmap(hidden)(keys[1:depth])", "jax.vmap(hidden)(keys[: depth - 1])"),
    ),
    declared(
        "nnx_block",
        "a snapshot follows the module",
        ("return map_variables({}, self)", "return nnx.state(self)"),
    ),
    numbers(
        "key_cache",
        "scores are divided by the root of the number of positions",
        ("math.sqrt(self.past_keys.shape[1])", "math.sqrt(self.past_keys.shape[0])"),
    ),
)
