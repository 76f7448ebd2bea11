"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "loom",
        "only what Equinox marks as static is told in a file",
        (
            "            if field.name not in names:\n",
            '            if field.name not in names and field.metadata.get("static", False):\n',
        ),
        file="serialisation",
    ),
    declared(
        "seismometer",
        "Python's numbers are loaded as scalars of NumPy",
        (
            "return np.frombuffer(data, _NUMBERS[type(like)])[0].item()",
            "return np.frombuffer(data, _NUMBERS[type(like)])[0]",
        ),
        file="serialisation",
    ),
    declared(
        "spectrograph",
        "a file that is migrated has new checksums",
        (
            "        {now: content.checksums.get(was) for was, now in kept.items()},\n",
            "        {\n"
            "            now: zlib.crc32(content.tensors[was][1])\n"
            "            for was, now in kept.items()\n"
            "            if was in content.tensors\n"
            "        },\n",
        ),
        file="migrations",
    ),
    declared(
        "sourdough",
        "a state fits whatever its Variables are",
        ("(type(leaf), jnp.shape(leaf), leaf.dtype)", "(jnp.shape(leaf), leaf.dtype)"),
        file="nnx_state",
    ),
    declared(
        "sourdough",
        "a file is loaded into the module that is given",
        (
            "    graphdef, state = nnx.split(like)\n"
            "    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))\n",
            "    state = nnx.state(like)\n"
            "    nnx.update(like, _replaced(state, load_tree(path, values, static)))\n"
            "    return like\n",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "pollen",
        "only arrays of 32 bits are trained",
        (
            "jnp.issubdtype(node.dtype, jnp.inexact)",
            "node.dtype == jnp.float32",
        ),
        file="filter_specs",
    ),
)
