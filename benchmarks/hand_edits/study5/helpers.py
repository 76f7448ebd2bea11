"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "streaming",
        "a state of another dtype is taken over",
        ("(type(leaf), jnp.shape(leaf), leaf.dtype)", "(type(leaf), jnp.shape(leaf))"),
        file="nnx_state",
    ),
    declared(
        "streaming",
        "a file says nothing of the types of Variables",
        ('        static[f"{place}.class"] = type(one)\n', ""),
        file="nnx_serialisation",
    ),
    declared(
        "streaming",
        "what is read goes into the module that is the example",
        (
            "    graphdef, state = nnx.split(like)\n"
            "    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))\n",
            "    nnx.update(like, _replaced(nnx.state(like), load_tree(path, values, static)))\n    return like\n",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "contrast",
        "a leaf without a checksum is not checked",
        ("if zlib.crc32(data) != sums.get(place):", "if place in sums and zlib.crc32(data) != sums[place]:"),
        file="serialisation",
    ),
)
