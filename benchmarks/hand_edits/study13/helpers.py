"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "bridge",
        "no part in a field is asked what is trained in it",
        (
            "return jax.tree.map(_trained, value, is_leaf=_answers)",
            "return jax.tree.map(_trained, value)",
        ),
        file="filter_specs",
    ),
    declared(
        "hive",
        "a state with more than the module has is restored",
        ("for path in {**here, **there} if", "for path in here if"),
        file="nnx_state",
    ),
    declared(
        "hive",
        "a file does not tell of what type a Variable is",
        ('        static[f"{place}.class"] = type(one)\n', ""),
        file="nnx_serialisation",
    ),
    declared(
        "choir",
        "a leaf without a checksum is taken",
        ("zlib.crc32(data) != sums.get(place)", "place in sums and zlib.crc32(data) != sums[place]"),
        file="serialisation",
    ),
    declared(
        "choir",
        "arrays of NumPy come back as arrays of jax",
        (
            "    if isinstance(like, np.generic | np.ndarray):\n"
            "        return array[()] if isinstance(like, np.generic) else array\n",
            "",
        ),
        file="serialisation",
    ),
)
