"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "reactions",
        "what a file holds in 64 bits is cut to 32 without a word",
        (
            "    if new.dtype != array.dtype:\n"
            "        enable = 'jax.config.update(\"jax_enable_x64\", True)'\n"
            '        raise ValueError(f"jax would cut {_shown(like)} to 32 bits: `{enable}`")\n',
            "",
        ),
        file="serialisation",
    ),
    declared(
        "truss",
        "a save that fails leaves a file behind",
        (
            "    try:\n"
            "        yield temporary\n"
            '        with open(temporary, "rb+") as file:\n'
            "            os.fsync(file.fileno())\n"
            "        os.replace(temporary, target)\n"
            "    finally:\n"
            "        with contextlib.suppress(OSError):\n"
            "            os.remove(temporary)\n",
            "    yield temporary\n"
            '    with open(temporary, "rb+") as file:\n'
            "        os.fsync(file.fileno())\n"
            "    os.replace(temporary, target)\n",
        ),
        file="serialisation",
    ),
    declared(
        "survival",
        "a file that another program wrote is refused with a `KeyError`",
        (
            "        ValueError,\n        KeyError,\n        TypeError,\n",
            "        ValueError,\n        TypeError,\n",
        ),
        file="serialisation",
    ),
    declared(
        "sparse_coder",
        "what a state has more than the module is added to it",
        ("for path in {**here, **there} if", "for path in here if"),
        file="nnx_state",
    ),
    declared(
        "sparse_coder",
        "the first base class that is named decides what a Variable becomes",
        (
            "next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "next((kind for kind in functions if isinstance(node, kind)), None)",
        ),
        file="nnx_state",
    ),
)
