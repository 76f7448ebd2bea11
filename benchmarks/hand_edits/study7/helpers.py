"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "seasonal",
        "a state of another dtype is taken over",
        ("path: (type(leaf), jnp.shape(leaf), leaf.dtype)", "path: (type(leaf), jnp.shape(leaf))"),
        file="nnx_state",
    ),
    declared(
        "seasonal",
        "a file is loaded into the module that it is to be like",
        (
            "    graphdef, state = nnx.split(like)\n"
            "    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))\n",
            "    nnx.update(like, _replaced(nnx.state(like), load_tree(path, values, static)))\n"
            "    return like\n",
        ),
        file="nnx_serialisation",
    ),
    declared(
        "recommender",
        "what is read for a migration is taken for whole",
        (
            "{now: content.checksums.get(was) for was, now in kept.items()}",
            "{\n            now: zlib.crc32(content.tensors[was][1])\n            for was, now in kept.items()\n"
            "            if was in content.tensors\n        }",
        ),
        file="migrations",
    ),
    declared(
        "perceiver",
        "parts are not asked what of them decays",
        (
            "            lambda part, own: part.decayed() if _answers(part) else own,\n"
            "            value,\n            spec,\n            is_leaf=_answers,\n",
            "            lambda part, own: own,\n            value,\n            spec,\n",
        ),
        file="weight_decay",
    ),
    declared(
        "perceiver",
        "a file that does not fit is refused with the first difference alone",
        (
            'raise ValueError("\\n".join([f"`{path}` does not fit `like`:", *wrong]))',
            'raise ValueError(f"`{path}` does not fit `like`: {wrong[0]}")',
        ),
        file="serialisation",
    ),
)
