"""Which names a class, a field and an argument may have."""

import keyword
import re
import unicodedata
from collections.abc import Collection
from functools import cache

from scaffold.errors import Fault

_FROM_JAXTYPING = (
    *("Array", "ArrayLike", "PRNGKeyArray", "PyTree", "Key", "Float", "Inexact", "Bool"),
    *("Float16", "BFloat16", "Float32", "Float64", "Complex", "Complex64", "Complex128"),
    *("Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
)
_FROM_LAWS = ("Leaf", "Method", "Output", "PytreeLaws", "sample")
_FROM_NNX_LAWS = ("NnxLaws", "Var")
_FROM_FURTHER_LAWS = {"StateLaws": "state", "SharedLaws": "shared"}
IMPORTS = {
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "eqx": "import equinox as eqx",
    "nnx": "from flax import nnx",
    "np": "import numpy as np",
    "lax": "from jax import lax",
    "math": "import math",
    "functools": "import functools",
    "itertools": "import itertools",
    "operator": "import operator",
    "warnings": "import warnings",
    "Callable": "from collections.abc import Callable",
    "Iterable": "from collections.abc import Iterable",
    "Mapping": "from collections.abc import Mapping",
    "Sequence": "from collections.abc import Sequence",
    "deepcopy": "from copy import deepcopy",
    "dataclass": "from dataclasses import dataclass",
    "dataclasses": "import dataclasses",
    "Any": "from typing import Any",
    "ClassVar": "from typing import ClassVar",
    "Literal": "from typing import Literal",
    "NamedTuple": "from typing import NamedTuple",
    "cast": "from typing import cast",
    "final": "from typing import final",
    "TypeVar": "from typing import TypeVar",
    "MethodType": "from types import MethodType",
    "PathLike": "from os import PathLike",
    "DTypeLike": "from jax.typing import DTypeLike",
    "GetAttrKey": "from jax.tree_util import GetAttrKey",
    **{name: f"from jaxtyping import {name}" for name in _FROM_JAXTYPING},
    **{name: f"from pytree_laws import {name}" for name in _FROM_LAWS},
    **{name: f"from pytree_laws.nnx import {name}" for name in _FROM_NNX_LAWS},
    **{name: f"from pytree_laws.{module} import {name}" for name, module in _FROM_FURTHER_LAWS.items()},
}
GENERIC = "from typing import Generic"
"""Names that code may use without importing them, with the line that imports each."""
OF_TYPES = frozenset(
    (
        *_FROM_JAXTYPING,
        "Callable",
        "Iterable",
        "Mapping",
        "Sequence",
        "Any",
        "Literal",
        "PathLike",
        "DTypeLike",
    )
)
"""Those that only annotations read, where an author may mean another type by the name."""
_CONVENIENT = ("operator", "warnings", "itertools", "functools", "lax")
"""Those of which the emitted code has no need where it takes an argument of the name."""
TEST_IMPORTS = {name: f"from pytree_laws import {name}" for name in ("case", "holds", "unstacked")}
"""Further ones of test files; a field or an argument may have these names."""

_SYNONYMS = {
    "jax.Array": "jaxtyping.Array",
    "jax.typing.ArrayLike": "jaxtyping.ArrayLike",
    **{
        f"typing.{name}": f"collections.abc.{name}"
        for name in ("Callable", "Iterable", "Mapping", "Sequence")
    },
}
"""What two modules give under one name."""
_EMITTED = frozenset(("create", "trainable", "self", "cls", "key", "dtype", "_check", "_rebuild"))
EMITTED_BUILTINS = frozenset(
    (
        *(
            "any",
            "classmethod",
            "dict",
            "float",
            "frozenset",
            "getattr",
            "hasattr",
            "hash",
            "int",
            "isinstance",
            "len",
        ),
        *("list", "object", "property", "range", "slice", "sorted", "str", "bool", "tuple", "type"),
        *("NotImplementedError", "TypeError", "ValueError"),
    )
)
_WINDOWS = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
LONGEST = 80
_FILE = r"(?a)[A-Za-z_]\w*"


_ACRONYM = re.compile(r"(?<![a-z])[A-Z][a-z][A-Z]{2}(?=[A-Z][a-z]|\d|$)")
"""One with a small letter in it, as in ReLU, SiLU and LoRA, which would fall apart."""


def brings_the_same(line: str, known: str) -> bool:
    """Whether an import statement of one name brings what `known` does, or does as well: as NumPy, jax.numpy."""
    brought = _whole(line)
    return brought == _whole(known) or (brought, _whole(known)) == ("jax.numpy", "numpy")


def _whole(line: str) -> str:
    """The whole name that an import statement of one name binds."""
    words = line.split(" as ")[0].split()
    own = words[1] if " as " in line else words[1].partition(".")[0]
    name = f"{words[1]}.{words[3]}" if words[0] == "from" else own
    return _SYNONYMS.get(name, name)


def is_read(name: str) -> bool:
    """Whether the code of a class may read what it imports under this name; the words of the laws are for tests alone."""
    return not IMPORTS.get(name, "from pytree_laws").startswith("from pytree_laws")


@cache
def stem(name: str) -> str:
    """The file name of a class, without its ending: `GRUCell` has `gru_cell`, `LoRALinear` has `lora_linear`.

    `Lambda` has `lambda_`, since no import could name the keyword.
    """
    words = re.sub(_ACRONYM, lambda found: found[0].capitalize(), name)
    words = re.sub(r"(\d)D(?=[A-Z]|$)", r"\1d", words)  # Conv2D is one word
    words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", words)
    found = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()
    return f"{found}_" if keyword.iskeyword(found) else found


def _is_name(name: str) -> bool:
    """Whether Python takes a text for a name, and for no other than it says: `ﬁ` is `fi`."""
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


def class_name_fault(name: str, where: str) -> Fault | None:
    """Why a class cannot be called `name`, or None."""
    if not _is_name(name):
        return Fault(where, f"`{name}` is not a name", "use letters, digits and `_`")
    if len(name) > LONGEST:
        return Fault(where, f"`{name[:20]}...` has {len(name)} letters", f"write at most {LONGEST}")
    if name in ("self", "cls") or not name.strip("_"):
        return Fault(
            where, f"`{name}` is a name that the class uses itself", f"write `{name}Module`, for example"
        )
    if keyword.iskeyword(name) or name in EMITTED_BUILTINS:
        return Fault(where, f"`{name}` is a word of Python", f"write `{name}Module`, for example")
    if name.startswith("__"):
        what = f"Python reads `{name}` as another name inside of classes, its tests among them"
        return Fault(where, what, f"write `_{name.lstrip('_')}`")
    if name.startswith("Test"):
        return Fault(
            where,
            f"pytest takes `{name}` for a class of tests",
            f"write `{name[4:] or 'Trial'}`, for example",
        )
    if stem(name) in _WINDOWS:
        return Fault(where, f"`{stem(name)}.py` is no file on Windows", f"write `{name}Module`, for example")
    if is_read(name):
        return Fault(where, f"`{name}` is a name that the class imports", f"write `My{name}`, for example")
    return None


def file_name_fault(name: str, where: str) -> Fault | None:
    """Why the file of a class cannot be called `name`, without `.py`, or None."""
    bare = name.removesuffix(".py").rpartition("/")[2]
    if not re.fullmatch(_FILE, name) or name.startswith("__"):
        fix = f"write `{_legal_name(bare).strip('_') or 'x'}`: letters, digits and `_`, without folder and ending"
        return Fault(where, f"`{name}` is no name of a module", fix)
    if len(name) > LONGEST:
        return Fault(where, f"`{name[:20]}...` has {len(name)} letters", f"write at most {LONGEST}")
    if keyword.iskeyword(name):
        return Fault(where, f"`{name}` is a keyword of Python", f"write `{name}_`, for example")
    if name.startswith("test_") or name == "conftest":
        return Fault(
            where,
            f"pytest takes `{name}.py` for its own",
            f"write `{name.removeprefix('test_').replace('conftest', '') or 'trial'}`",
        )
    if name.lower() in _WINDOWS:
        return Fault(where, f"`{name}.py` is no file on Windows", f"write `{name}_module`, for example")
    return None


def argument_name_fault(
    name: str, where: str, class_name: str = "", *, reserved: bool = True, free: Collection[str] = ()
) -> Fault | None:
    """Why an argument or a dim cannot be called `name`, or None; `free` are names that this class has no use for itself."""
    what = _argument_fault(name, class_name, reserved and name not in free)
    return None if what is None else Fault(where, what, f"rename it, to `{_legal_name(name)}` for example")


def _legal_name(name: str) -> str:
    word = re.sub(r"\W+", "_", name[:LONGEST], flags=re.ASCII).strip("_").lstrip("0123456789")
    return f"{word or 'x'}_" if word == name or not word or keyword.iskeyword(word) else word


def _argument_fault(name: str, class_name: str, reserved: bool) -> str | None:
    if not _is_name(name):
        return f"`{name}` is not a name (letters, digits and `_`, not beginning with a digit)"
    if len(name) > LONGEST:
        return f"`{name[:20]}...` has {len(name)} letters"
    if keyword.iskeyword(name):
        return f"`{name}` is a keyword of Python"
    if not name.strip("_"):
        return f"`{name}` says nothing"
    if name.startswith("__") and not name.endswith("__"):
        return f"`{name}` would be mangled by the class"
    if (is_read(name) and name not in _CONVENIENT) or name == class_name:
        return f"`{name}` hides the module or class of that name"
    if reserved and name in EMITTED_BUILTINS:
        return f"`{name}` hides the builtin, which the class needs"
    if (reserved and name in _EMITTED) or name in ("self", "cls"):
        return f"`{name}` is a name that the class uses itself"
    return None
