"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "quantizer",
        "a snapshot is the state of the module itself",
        (
            "    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree\n",
            "    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree\n"
            "    if not functions:\n        return state\n",
        ),
        file="nnx_state",
    ),
    declared(
        "quantizer",
        "the first class that fits decides, not the nearest",
        (
            "next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "next((kind for kind in functions if isinstance(node, kind)), None)",
        ),
        file="nnx_state",
    ),
    declared(
        "quantizer",
        "a file says nothing of floats among the settings",
        (
            'if "__" not in name and not nnx.is_data(value):',
            'if "__" not in name and not nnx.is_data(value) and not isinstance(value, float):',
        ),
        file="nnx_serialisation",
    ),
    declared(
        "diffusion",
        "leaves that the class has no more are dropped without a word",
        ("    _warn_of_dropped((was for was, now in places.items() if now is None), content, path)\n", ""),
        file="migrations",
    ),
    declared(
        "mixer",
        "sub-modules are not asked what decays",
        ("lambda part, own: part.decayed() if _answers(part) else own,", "lambda _, own: own,"),
        ("            spec,\n            is_leaf=_answers,\n", "            spec,\n"),
        file="weight_decay",
    ),
    declared(
        "rotary",
        "settings are compared to three digits",
        (
            '    name = getattr(value, "__qualname__", None)\n',
            "    if isinstance(value, float):\n"
            '        return f"{value:.3g}"\n'
            '    name = getattr(value, "__qualname__", None)\n',
        ),
        file="serialisation",
    ),
)
