"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "spiking",
        "a function for a kind of Variable leaves out its subclasses",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = type(node) if type(node) in functions else None",
        ),
        file="nnx_state",
    ),
    declared(
        "spiking",
        "a file says nothing of plain attributes",
        (
            "        for name, value in sorted(vars(node).items()):\n"
            '            if "__" not in name and not nnx.is_data(value):\n'
            "                static[place + name] = value\n",
            "",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "agent",
        "fields that are named as not trained are trained",
        (
            "        if path[0].name in but:\n"
            "            return jax.tree.map(lambda _: False, value)\n"
            "        return jax.tree.map(_trained, value, is_leaf=_answers)\n",
            "        return jax.tree.map(_trained, value, is_leaf=_answers)\n",
        ),
        file="filter_specs",
    ),
    declared(
        "agent",
        "whatever is not named decays, trained or not",
        (
            "lambda part, own: part.decayed() if _answers(part) else own",
            "lambda part, own: part.decayed() if _answers(part) else True",
        ),
        file="weight_decay",
    ),
    declared(
        "hamiltonian",
        "a file that cannot be written whole has already replaced the old one",
        ('    temporary = f"{target}.{os.getpid()}.tmp"\n', "    temporary = target\n"),
        (
            "    finally:\n        with contextlib.suppress(OSError):\n",
            "    except OSError:\n        with contextlib.suppress(OSError):\n",
        ),
        file="serialisation",
    ),
    declared(
        "camera",
        "only the first difference is told",
        (
            'raise ValueError("\\n".join([f"`{path}` does not fit `like`:", *wrong]))',
            'raise ValueError("\\n".join([f"`{path}` does not fit `like`:", wrong[0]]))',
        ),
        file="serialisation",
    ),
    declared(
        "teacher",
        "a key comes back as one of the default implementation",
        ("jax.random.wrap_key_data(new, impl=_key_impl(like))", "jax.random.wrap_key_data(new)"),
        file="serialisation",
    ),
)
