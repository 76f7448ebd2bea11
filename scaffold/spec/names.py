"""Names that a class, a field and an argument may have."""

import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from scaffold.errors import Fault

SUFFIXES = (".toml", ".py")
"""The endings of the names of spec files."""
_FROM_JAXTYPING = (
    *("Array", "ArrayLike", "PRNGKeyArray", "PyTree", "Key", "Float", "Inexact", "Bool"),
    *("Float16", "BFloat16", "Float32", "Float64", "Complex", "Complex64", "Complex128"),
    *("Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
)
_ABSTRACT = ("Callable", "Iterable", "Mapping", "Sequence")
_FROM = {
    "collections.abc": _ABSTRACT,
    "copy": ("deepcopy",),
    "dataclasses": ("dataclass",),
    "flax": ("nnx",),
    "jax": ("lax",),
    "jax.tree_util": ("GetAttrKey",),
    "jax.typing": ("DTypeLike",),
    "jaxtyping": _FROM_JAXTYPING,
    "os": ("PathLike",),
    "types": ("MethodType",),
    "typing": ("Any", "ClassVar", "Literal", "NamedTuple", "Self", "TypeVar", "cast", "final"),
    "pytree_laws": ("Leaf", "Method", "Output", "PytreeLaws", "sample"),
    "pytree_laws.nnx": ("NnxLaws", "Var"),
    "pytree_laws.shared": ("SharedLaws",),
    "pytree_laws.state": ("StateLaws",),
}
_MODULES = ("jax", "math", "functools", "itertools", "operator", "warnings", "dataclasses")
IMPORTS = {
    **{"jnp": "import jax.numpy as jnp", "eqx": "import equinox as eqx", "np": "import numpy as np"},
    **{name: f"import {name}" for name in _MODULES},
    **{name: f"from {module} import {name}" for module, names in _FROM.items() for name in names},
}
"""Names that code may use without importing them, with the line that imports each."""
LIBRARIES = {"eqx": "equinox", "nnx": "flax.nnx"}
"""The libraries of most classes, by the names through which emitted code reads these classes."""
GENERIC = "from typing import Generic"
OF_TYPES = frozenset((*_FROM_JAXTYPING, *_ABSTRACT, "Any", "Literal", "PathLike", "DTypeLike"))
"""Names that only annotations read, and by which an author may mean another type."""
_CONVENIENT = ("operator", "warnings", "itertools", "functools", "lax", "final", "dataclass")
"""Names that the emitted code can do without, if an argument has the name."""
TEST_IMPORTS = {name: f"from pytree_laws import {name}" for name in ("case", "holds", "unstacked")}
"""Further imports of test files, whose names fields and arguments may also have."""

_SYNONYMS = {
    "jax.Array": "jaxtyping.Array",
    "jax.typing.ArrayLike": "jaxtyping.ArrayLike",
    **{f"typing.{name}": f"collections.abc.{name}" for name in _ABSTRACT},
}
"""Full names of an object, each with the name of the same object in another module."""
_EMITTED = frozenset(("create", "trainable", "self", "cls", "key", "dtype", "_check", "_rebuild"))
EMITTED_BUILTINS = frozenset(
    (
        *("any", "bool", "classmethod", "dict", "float", "frozenset", "getattr", "hasattr", "hash", "int"),
        *("isinstance", "len", "list", "object", "property", "range", "slice", "sorted", "str", "tuple"),
        *("type", "NotImplementedError", "TypeError", "ValueError"),
    )
)
_WINDOWS = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
LONGEST = 80
_FILE = r"(?a)[A-Za-z_]\w*"


_ACRONYM = re.compile(r"(?<![a-z])[A-Z][a-z][A-Z]{1,2}(?=[A-Z][a-z]|\d|$)")
"""An acronym with a small letter in it, such as ReLU, LoRA, MoE or ViT, which would fall apart."""


def is_named_by_library(module: str | None) -> bool:
    """Whether emitted code writes classes of a module with a prefix, such as `eqx.nn.Linear`.

    A class of the project may then have the same name.
    """
    return any(f"{module}.".startswith(f"{library}.") for library in LIBRARIES.values())


def brings_the_same(line: str, known: str) -> bool:
    """Whether an import of one name brings what `known` brings, or `jax.numpy` in place of `numpy`."""
    brought = _whole(line)
    return brought == _whole(known) or (brought, _whole(known)) == ("jax.numpy", "numpy")


def _whole(line: str) -> str:
    """Return the full name that an import statement of one name binds, such as `jax.numpy`."""
    words = line.split(" as ")[0].split()
    module_name = words[1] if " as " in line else words[1].partition(".")[0]
    name = f"{words[1]}.{words[3]}" if words[0] == "from" else module_name
    return _SYNONYMS.get(name, name)


def is_read(name: str) -> bool:
    """Whether the code of a class may read an import of this name. Names of `pytree_laws` are for tests."""
    return not IMPORTS.get(name, "from pytree_laws").startswith("from pytree_laws")


def is_spec_there(folder: Path, name: str) -> bool:
    """Whether a folder holds a spec of this name, given without the ending."""
    return any((folder / f"{name}{suffix}").is_file() for suffix in SUFFIXES)


@cache
def stem(name: str) -> str:
    """Return the file name of a class without ending: `gru_cell` for `GRUCell`, `lora_linear` for
    `LoRALinear`.

    `Lambda` gives `lambda_`, since no import could name the keyword.
    """
    words = re.sub(_ACRONYM, lambda acronym: acronym[0].capitalize(), name)
    words = re.sub(r"(\d)D(?=[A-Z]|$)", r"\1d", words)  # Conv2D is one word
    words = re.sub(r"(?<=[A-Z])([A-Z][a-z])", r"_\1", words)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def _is_name(name: str) -> bool:
    """Whether a text is an identifier that Unicode normalization leaves unchanged, unlike `ﬁ`."""
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


_Check = tuple[bool, str, str]
"""Whether the name is wrong, the message, and the fix."""


def _first(checks: Iterable[_Check], where: str) -> list[Fault]:
    return [Fault(where, message, fix) for is_wrong, message, fix in checks if is_wrong][:1]


def _too_long(name: str, fix: str = f"write at most {LONGEST}") -> _Check:
    return len(name) > LONGEST, f"`{name[:20]}...` has {len(name)} letters", fix


def class_name_faults(name: str, where: str) -> list[Fault]:
    """Return the first reason why a class cannot be called `name`, if any."""
    other, bare = f"write `{name}Module`, for example", name.strip("_")
    mangled = f"Python reads `{name}` as another name inside of classes, its tests among them"
    is_of_python = keyword.iskeyword(name) or name in EMITTED_BUILTINS
    is_file, fix = name.endswith((".py", ".toml")), f"write `--spec {name}` for the classes of that file"
    of_pytest = f"pytest takes `{name}` for a class of tests"
    checks = (
        (not _is_name(name), f"`{name}` is not a name", fix if is_file else "use letters, digits and `_`"),
        _too_long(name),
        (name in ("self", "cls") or not bare, f"`{name}` is a name that the class uses itself", other),
        (is_of_python, f"`{name}` is a word of Python", other),
        (name.startswith("__"), mangled, f"write `_{name.lstrip('_')}`"),
        (name.startswith("Test"), of_pytest, f"write `{name[4:] or 'Trial'}`"),
        (stem(name) in _WINDOWS, f"`{stem(name)}.py` is no file on Windows", other),
        (is_read(name), f"`{name}` is a name that the class imports", f"write `My{name}`, for example"),
    )
    return _first(checks, where)


def file_name_faults(name: str, where: str) -> list[Fault]:
    """Return the first reason why the file of a class cannot be called `name`, without `.py`, if any."""
    legal = _legal_name(name.removesuffix(".py").rpartition("/")[2]).strip("_") or "x"
    is_name = re.fullmatch(_FILE, name) and not name.startswith("__")
    of_pytest = name.startswith("test_") or name == "conftest"
    bare = name.removeprefix("test_").replace("conftest", "") or "trial"
    fix = f"write `{legal}`: letters, digits and `_`, without folder and ending"
    of_windows = f"`{name}.py` is no file on Windows"
    checks = (
        (not is_name, f"`{name}` is no name of a module", fix),
        _too_long(name),
        (keyword.iskeyword(name), f"`{name}` is a keyword of Python", f"write `{name}_`, for example"),
        (of_pytest, f"pytest takes `{name}.py` for its own", f"write `{bare}`"),
        (name.lower() in _WINDOWS, of_windows, f"write `{name}_module`, for example"),
    )
    return _first(checks, where)


def argument_name_faults(
    name: str, where: str, class_name: str = "", *, reserved: bool = True, free: Collection[str] = ()
) -> list[Fault]:
    """Return the first reason why an argument or a dim cannot be called `name`, if any.

    `free` holds names that the class itself does not need.
    """
    reserved = reserved and name not in free
    fix = f"rename it, to `{_legal_name(name)}` for example"
    is_mangled = name.startswith("__") and not name.endswith("__")
    hides_import = (is_read(name) and name not in _CONVENIENT) or name == class_name
    is_own = (reserved and name in _EMITTED) or name in ("self", "cls")
    no_name = f"`{name}` is not a name (letters, digits and `_`, not beginning with a digit)"
    hides_builtin = reserved and name in EMITTED_BUILTINS
    checks = (
        (not _is_name(name), no_name, fix),
        _too_long(name, fix),
        (keyword.iskeyword(name), f"`{name}` is a keyword of Python", fix),
        (not name.strip("_"), f"`{name}` says nothing", fix),
        (is_mangled, f"`{name}` would be mangled by the class", fix),
        (hides_import, f"`{name}` hides the module or class of that name", fix),
        (hides_builtin, f"`{name}` hides the builtin, which the class needs", fix),
        (is_own, f"`{name}` is a name that the class uses itself", fix),
    )
    return _first(checks, where)


def _legal_name(name: str) -> str:
    word = re.sub(r"\W+", "_", name[:LONGEST], flags=re.ASCII).strip("_").lstrip("0123456789")
    return f"{word or 'x'}_" if word == name or not word or keyword.iskeyword(word) else word
