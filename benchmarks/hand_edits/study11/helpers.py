"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "tide",
        "a file is written in its place",
        (
            "    with _whole_file(path) as name:\n"
            "        safetensors.numpy.save_file(tensors, name, metadata)\n",
            "    safetensors.numpy.save_file(tensors, os.fspath(path), metadata)\n",
        ),
        file="serialisation",
    ),
    declared(
        "palette",
        "static fields are told by their types",
        (
            'yield f"{place}.{field.name}", getattr(node, field.name, None), False',
            'yield f"{place}.{field.name}", field.type, False',
        ),
        file="serialisation",
    ),
    declared(
        "loom",
        "a file is loaded into what it is to be like",
        (
            "    graphdef, state = nnx.split(like)\n"
            "    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))\n",
            "    nnx.update(like, _replaced(nnx.state(like), load_tree(path, values, static)))\n"
            "    return like\n",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "loom",
        "a state of another dtype is restored",
        (
            "path: (type(leaf), jnp.shape(leaf), leaf.dtype)",
            "path: (type(leaf), jnp.shape(leaf))",
        ),
        file="nnx_state",
    ),
    declared(
        "auction",
        "no part is asked what decays in it",
        (
            "return jax.tree.map(_answer, tree, is_leaf=_answers)",
            "return jax.tree.map(_answer, tree)",
        ),
        file="weight_decay",
    ),
)
