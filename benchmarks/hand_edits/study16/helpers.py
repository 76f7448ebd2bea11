"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "starlings",
        "keys are loaded as those of the default kind",
        (
            "return jax.random.wrap_key_data(new, impl=_key_impl(like)) if _is_key(like) else new",
            "return jax.random.wrap_key_data(new) if _is_key(like) else new",
        ),
        file="serialisation",
    ),
    declared(
        "starlings",
        "layers do not answer for themselves where weights decay",
        (
            "            lambda part, own: part.decayed() if _answers(part) else own,\n"
            "            value,\n"
            "            spec,\n"
            "            is_leaf=_answers,\n",
            "            lambda _, own: own,\n            value,\n            spec,\n",
        ),
        file="weight_decay",
    ),
    declared(
        "dosage",
        "what lies below a field that was renamed stays behind",
        ('in ("", ".", "[", " ")', 'in ("", "[", " ")'),
        file="migrations",
    ),
    declared(
        "printer",
        "settings of the parts are not told in a file",
        (
            '            if "__" not in name and not nnx.is_data(value):\n',
            '            if not path and "__" not in name and not nnx.is_data(value):\n',
        ),
        file="nnx_serialisation",
    ),
    declared(
        "printer",
        "a snapshot shares the Variables that it does not map",
        (
            "        return node.replace(value if kind is None else functions[kind](value))\n",
            "        return node if kind is None else node.replace(functions[kind](value))\n",
        ),
        file="nnx_state",
    ),
)
