"""The dtypes of arrays by their names: in a spec, in jaxtyping, in jax."""

DTYPES = {
    "f": ("Float", "float"),
    "inexact": ("Inexact", "float"),
    "f16": ("Float16", "float16"),
    "bf16": ("BFloat16", "bfloat16"),
    "f32": ("Float32", "float32"),
    "f64": ("Float64", "float64"),
    "c": ("Complex", "complex"),
    "c64": ("Complex64", "complex64"),
    "c128": ("Complex128", "complex128"),
    "i": ("Int", "int"),
    "i8": ("Int8", "int8"),
    "i16": ("Int16", "int16"),
    "i32": ("Int32", "int32"),
    "i64": ("Int64", "int64"),
    "u8": ("UInt8", "uint8"),
    "u16": ("UInt16", "uint16"),
    "u32": ("UInt32", "uint32"),
    "u64": ("UInt64", "uint64"),
    "bool": ("Bool", "bool"),
    "key": ("Key", "key"),
}
"""Short dtype names, each with its annotation in jaxtyping and its name in jax.

`f` and `inexact` take the constructor's dtype. `i` and `c` take the default dtype of jax, or the dtype of a
given array.
"""
CHOSEN_DTYPES = ("f", "inexact")
"""Dtypes that the constructor's `dtype` chooses."""
DEFAULT_DTYPES = {"i": "int", "c": "complex"}
"""Dtypes that are jax's default, by the types of Python that name them."""
BY_ANNOTATION = {annotation: short for short, (annotation, _) in DTYPES.items()}
BY_LONG_NAME = {name: short for short, (_, name) in reversed(DTYPES.items())}
_NEARLY = {
    **{"integer": "i", "long": "i64", "short": "i16", "uint": "u32", "byte": "u8"},
    **{"double": "f64", "single": "f32", "half": "f16", "fp16": "f16", "fp32": "f32"},
    **{"fp64": "f64", "boolean": "bool", "num": "inexact", "real": "f", "shaped": "f", "number": "f"},
    **{"array": "f", "ndarray": "f", "arraylike": "f"},
}
"""Names that are no dtype, with the dtype that the author probably means."""


def meant_dtype(name: str) -> str | None:
    """Return the dtype that a name is or probably means, if any."""
    lower = name.lower()
    short = BY_ANNOTATION.get(name) or BY_LONG_NAME.get(lower) or _NEARLY.get(lower)
    return short or (lower if lower in DTYPES else None)
