"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "lighthouse",
        "a frozen part has one False in the filter spec",
        (
            "            return jax.tree.map(lambda _: False, value)\n",
            "            return False\n",
        ),
        file="filter_specs",
    ),
    declared(
        "moth",
        "weights decay that are trained or that decay",
        ("lambda *of_leaf: all(of_leaf)", "lambda *of_leaf: any(of_leaf)"),
        file="weight_decay",
    ),
    declared(
        "lighthouse",
        "only the last of the former names of a class is known",
        (
            "texts[was] in {step.former for step in steps}",
            "texts[was] == steps[-1].former",
        ),
        file="migrations",
    ),
    declared(
        "knitting",
        "functions are told by their name without the module",
        (
            '    return ".".join((*public, name))\n',
            "    return str(name)\n",
        ),
        file="serialisation",
    ),
    declared(
        "foundry",
        "a restore takes Variables of another type",
        (
            "path: (type(leaf), jnp.shape(leaf), leaf.dtype)",
            "path: (jnp.shape(leaf), leaf.dtype)",
        ),
        file="nnx_state",
    ),
    declared(
        "foundry",
        "a file is loaded into what it is to be like",
        (
            "    graphdef, state = nnx.split(like)\n"
            "    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))\n",
            "    nnx.update(like, _replaced(nnx.state(like), load_tree(path, values, static)))\n    return like\n",
        ),
        file="nnx_serialisation",
    ),
)
