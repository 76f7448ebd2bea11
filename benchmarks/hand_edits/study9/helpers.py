"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "climate",
        "bytes of a file that changed are not noticed",
        (
            "        if zlib.crc32(data) != sums.get(place):\n"
            '            raise ValueError(f"`{path}` is damaged: the checksum of `{place}` is wrong")\n',
            "",
        ),
        file="serialisation",
    ),
    declared(
        "portfolio",
        "the first difference of a file is told alone",
        (
            'raise ValueError("\\n".join([f"`{path}` does not fit `like`:", *wrong]))',
            'raise ValueError("\\n".join([f"`{path}` does not fit `like`:", wrong[0]]))',
        ),
        file="serialisation",
    ),
    declared(
        "cells",
        "a state with other types of Variables is restored",
        ("path: (type(leaf), jnp.shape(leaf), leaf.dtype)", "path: (jnp.shape(leaf), leaf.dtype)"),
        file="nnx_state",
    ),
    declared(
        "cells",
        "settings that are floats are not compared",
        (
            'if "__" not in name and not nnx.is_data(value):',
            'if "__" not in name and not nnx.is_data(value) and not isinstance(value, float):',
        ),
        file="nnx_serialisation",
    ),
    declared(
        "battery",
        "nothing is said of what a former file holds and the class has no more",
        (
            "    _warn_of_dropped((was for was, now in places.items() if now is None), content, path)\n",
            "",
        ),
        file="migrations",
    ),
    declared(
        "segmenter",
        "weight decay moves buffers",
        (
            "            lambda part, own: part.decayed() if _answers(part) else own,\n",
            "            lambda part, _: _answer(part),\n",
        ),
        file="weight_decay",
    ),
)
