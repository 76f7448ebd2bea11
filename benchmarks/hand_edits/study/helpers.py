"""Edits of generated examples that other lists leave alone, and of the modules that classes share."""

from benchmarks.hand_edits.edit import Edit, declared

SHARED: tuple[Edit, ...] = (
    declared(
        "stack",
        "A file is written in place, so that a run that is killed leaves half of it.",
        (
            """\
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            os.remove(temporary)
""",
            """\
    yield target
    with open(target, "rb+") as file:
        os.fsync(file.fileno())
""",
        ),
        file="serialisation",
    ),
    declared(
        "nnx_block",
        "Functions are chosen by the very type of a Variable, not by its nearest base.",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = type(node) if type(node) in functions else None",
        ),
        file="nnx_state",
    ),
    declared(
        "nnx_block",
        "A state of another dtype is restored.",
        ("path: (type(leaf), jnp.shape(leaf), leaf.dtype)", "path: (type(leaf), jnp.shape(leaf))"),
        file="nnx_state",
    ),
    declared(
        "nnx_block",
        "A file is loaded into the module that it is compared with.",
        (
            """\
    graphdef, state = nnx.split(like)
    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))
""",
            """\
    nnx.update(like, _replaced(nnx.state(like), load_tree(path, values, static)))
    return like
""",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "mlp",
        "Complex arrays are not trained.",
        (
            'return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)',
            'return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.floating)',
        ),
        file="filter_specs",
    ),
    declared(
        "low_rank_linear",
        "Fields that are left out are sought by their path, which begins with a dot.",
        ("if path[0].name in but:", "if jax.tree_util.keystr(path) in but:"),
        file="filter_specs",
    ),
    declared(
        "decoder",
        "The mask for optax asks each array, and no sub-module.",
        ("return jax.tree.map(_answer, tree, is_leaf=_answers)", "return jax.tree.map(_answer, tree)"),
        file="weight_decay",
    ),
    declared(
        "decoder",
        "What a sub-module says of its own decay is not asked.",
        (
            """\
        moved = jax.tree.map(
            lambda part, own: part.decayed() if _answers(part) else own,
            value,
            spec,
            is_leaf=_answers,
        )
        return jax.tree.map(lambda *of_leaf: all(of_leaf), spec, moved)
""",
            "        return spec\n",
        ),
        file="weight_decay",
    ),
)

EXAMPLES: tuple[Edit, ...] = (
    declared(
        "decoder",
        "The dims of the last projection are named in the order of the others.",
        ('"mix": ("size", "heads", "head_size"),', '"mix": ("heads", "head_size", "size"),'),
    ),
    declared(
        "so3",
        "The root is taken of what may be zero; only the division is safe.",
        ("angle = jnp.sqrt(safe)", "angle = jnp.sqrt(angle2)"),
    ),
    declared(
        "shear",
        "Components that are integers stay so.",
        ("jnp.array(g1, float), jnp.array(g2, float)", "jnp.array(g1), jnp.array(g2)"),
    ),
)

HELPERS = (*SHARED, *EXAMPLES)
