"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "molecule",
        "every key is read as one of the default generator",
        (
            "jax.random.wrap_key_data(new, impl=_key_impl(like)) if _is_key(like) else new",
            "jax.random.wrap_key_data(new) if _is_key(like) else new",
        ),
        file="serialisation",
    ),
    declared(
        "cochlea",
        "Python numbers are configuration, and not saved",
        (
            'return type(leaf) in _NUMBERS or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))',
            'return hasattr(leaf, "shape") and hasattr(leaf, "dtype")',
        ),
        file="serialisation",
    ),
    declared(
        "taste",
        "what a state has more is added to the module",
        (
            "wrong = [path for path in {**here, **there} if here.get(path) != there.get(path)]",
            "wrong = [path for path in here if here[path] != there.get(path)]",
        ),
        file="nnx_state",
    ),
    declared(
        "taste",
        "a function for a base class of Variables is passed by",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = type(node) if type(node) in functions else None",
        ),
        file="nnx_state",
    ),
    declared(
        "arm",
        "what lies below a renamed field is not found",
        (
            'name = f".{step.renamed[was]}{name[len(was) + 1 :]}"',
            'name = f".{step.renamed[was]}"',
        ),
        file="migrations",
    ),
    declared(
        "wavefront",
        "weight decay moves what is not trained",
        (
            "lambda part, own: part.decayed() if _answers(part) else own,",
            "lambda part, own: _answer(part),",
        ),
        file="weight_decay",
    ),
)
