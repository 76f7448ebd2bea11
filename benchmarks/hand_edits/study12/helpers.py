"""Edits in the modules that lie beside the classes."""

from benchmarks.hand_edits.edit import Edit, declared

HELPERS: tuple[Edit, ...] = (
    declared(
        "portfolio",
        "sets are told in the order of their hashes",
        ("        if isinstance(value, set | frozenset):\n            parts.sort()\n", ""),
        file="serialisation",
    ),
    declared(
        "antenna",
        "a leaf without a checksum is trusted",
        (
            "if zlib.crc32(data) != sums.get(place):",
            "if zlib.crc32(data) != sums.get(place, zlib.crc32(data)):",
        ),
        file="serialisation",
    ),
    declared(
        "delay",
        "a file does not tell the types of Variables",
        ('        static[f"{place}.class"] = type(one)\n', ""),
        file="nnx_serialisation",
    ),
    declared(
        "delay",
        "the type of a Variable decides, and none of its bases",
        (
            "kind = next((kind for kind in type(node).__mro__ if kind in functions), None)",
            "kind = type(node) if type(node) in functions else None",
        ),
        file="nnx_state",
    ),
    declared(
        "sprint",
        "what is not trained decays",
        (
            "lambda part, own: part.decayed() if _answers(part) else own,",
            "lambda part, own: _answer(part),",
        ),
        file="weight_decay",
    ),
)
