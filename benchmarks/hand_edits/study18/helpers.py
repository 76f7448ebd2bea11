"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "carillon",
        "an array that has no decayed() decays where it is a matrix",
        (
            '    return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)\n',
            '    return hasattr(node, "dtype") and node.ndim > 1\n',
        ),
        file="weight_decay",
    ),
    declared(
        "apiary",
        "a new field is known by the name with which it came",
        ('if (name := _after(rest, f".{field}"))}', 'if (name := f".{field}")}'),
        file="migrations",
    ),
    declared(
        "glacier",
        "keys come back as those of the default kind",
        (
            "jax.random.wrap_key_data(new, impl=_key_impl(like)) if",
            "jax.random.wrap_key_data(new) if",
        ),
        file="serialisation",
    ),
    declared(
        "reef",
        "the first kind that fits maps a Variable, and not the nearest",
        (
            "(kind for kind in type(node).__mro__ if kind in functions)",
            "(kind for kind in functions if isinstance(node, kind))",
        ),
        file="nnx_state",
    ),
    declared(
        "reef",
        "a file does not tell the types of Variables",
        ('        static[f"{place}.class"] = type(one)\n', ""),
        file="nnx_serialisation",
    ),
)
