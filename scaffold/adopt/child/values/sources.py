"""Values as test files write them: the text that is tried is also the text that is written."""

import ast
import functools
import importlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytree_laws.declare.render import source_of

BASE = {
    "eqx": "import equinox as eqx",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "nnx": "from flax import nnx",
    "optax": "import optax",
    "sample": "from pytree_laws import sample",
}
"""Imports of names that any expression may use."""
SHORT = {
    "equinox": "eqx",
    "jax.numpy": "jnp",
    "flax.nnx": "nnx",
    "jax": "jax",
    "optax": "optax",
    "numpy": "np",
}
"""Usual aliases of modules."""
_NAMES = re.compile(r"(?<![\w.\"'])[^\W\d]\w*")
KIND = "kind"
"""Mark of a value whose kind no annotation, docstring or name tells."""
SEED = re.compile(r"\bseed\b(?!=)(?: \+ (\d+))?")
"""Seed in an expression and the number added to it, but no keyword `seed=`."""
STATE_OF_SUITE = "self.state("
"""Start of the expression of an argument that is the state of the suite."""
_HOMES: dict[int, tuple[str, str]] = {}
MEANS_MORE = re.compile(
    r"Test|(PytreeLaws|NnxLaws|StateLaws|Leaf|Var|Output|Method|Any|ClassVar|case|holds|sample|jax|jnp)$"
)
"""Names with another meaning in a test file: names that pytest collects or the file uses."""


@dataclass(frozen=True)
class Source:
    """Expression over `seed`, with the imports and helper functions that it needs."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()
    """Pairs of a name and the statement that imports the name."""
    helpers: tuple[str, ...] = ()
    told: str = field(default="", compare=False)
    """Guessed properties of the value: `shape`, `kind` (`KIND`), both, or none."""

    def value(self, seed: int, owner: Any = None) -> Any:
        """Evaluate the expression anew for a seed, with `owner` as `self`."""
        return eval(compiled(self.text), {**namespace(self), "seed": seed, "self": owner})

    def later(self, by: int) -> "Source":
        """Return the expression with its seeds increased, for other values."""
        if not by:
            return self
        text = SEED.sub(lambda seed: f"seed + {int(seed[1] or 0) + by}", self.text)
        return self.but(text)

    def but(self, text: str) -> "Source":
        return Source(text, self.imports, self.helpers, self.told)

    def aliased(self, name: str, line: str) -> "Source":
        """Return the expression with an import under an alias that contains its module."""
        module, alias = line.split()[1], f"{line.split()[1].replace('.', '_')}_{name}"
        used = re.compile(rf"(?<![\w.\"']){re.escape(name)}\b(?!=)")
        replacement = alias, f"from {module} import {name} as {alias}"
        imports = tuple(replacement if pair == (name, line) else pair for pair in self.imports)
        helpers = tuple(used.sub(alias, helper) for helper in self.helpers)
        return Source(used.sub(alias, self.text), imports, helpers, self.told)


@functools.cache
def compiled(text: str) -> Any:
    return compile(text, "<value>", "eval")


@functools.cache
def namespace(source: Source) -> Mapping[str, Any]:
    """Return the imported names and helper functions that an expression uses."""
    names: dict[str, Any] = {}
    for name in dict.fromkeys(_NAMES.findall("\n".join([source.text, *source.helpers]))):
        line = {**BASE, **dict(source.imports)}.get(name)
        if line:
            exec(line, names)
    names["Any"] = Any
    for helper in source.helpers:
        exec(helper, names)
    return names


def called(function: Source, arguments: Mapping[str, Source], positional: int = 0) -> Source:
    """Return a call, with the first arguments by position and the others by name."""
    sources = distinct(list(arguments.values()), function.imports)
    texts = [
        source.text if place < positional else f"{name}={source.text}"
        for place, (name, source) in enumerate(zip(arguments, sources, strict=True))
    ]
    return merged(f"{function.text}({', '.join(texts)})", [function, *sources])


def distinct(sources: "Sequence[Source]", taken: Iterable[tuple[str, str]]) -> "list[Source]":
    """Return the sources with aliases where a name already has another import."""
    bound, result = dict(taken), list[Source]()
    for source in sources:
        clashes = [(name, line) for name, line in source.imports if bound.setdefault(name, line) != line]
        for name, line in clashes:
            if line.startswith("from "):
                source = source.aliased(name, line)
        result.append(source)
    return result


def merged(text: str, parts: "list[Source]") -> Source:
    """Return an expression with the imports and helpers of its parts."""
    imports = tuple(dict.fromkeys(pair for part in parts for pair in part.imports))
    helpers = tuple(dict.fromkeys(line for part in parts for line in part.helpers))
    guesses = "; ".join(dict.fromkeys(part.told for part in parts if part.told))
    return Source(text, imports, helpers, guesses)


def literal(value: Any) -> str:
    """Return the source of a literal, or `...` for a value that has a name elsewhere."""
    text = source_of(value)
    return text if (text and not text[0].isalpha()) or text in ("True", "False", "None") else "..."


# -- what has a name ---------------------------------------------------------------------------------------------------


def settle(value: Any, module: str, name: str) -> None:
    """Record the module in which a user found a class, so that the tests import the class from there."""
    qualname = str(getattr(value, "__qualname__", ""))
    _HOMES[id(value)] = module, qualname if held_by(module, qualname) is value else name


def name_private(cls: type) -> bool:
    """Let tests import a private class if its module holds it, and return whether this is so.

    An argument annotated with a private class accepts no other.
    """
    is_held = cls.__name__.startswith("_") and held_by(cls.__module__, cls.__qualname__) is cls
    if is_held:
        settle(cls, cls.__module__, cls.__qualname__)
    return is_held


def has_name(value: Any) -> bool:
    """Whether a class or a function can be written by name."""
    try:
        return bool(refer(value))
    except LookupError:
        return False


def refer(value: Any) -> Source:
    """Return the expression that names a class or a function.

    Raises `LookupError` if the value has no name.
    """
    module, name = _HOMES.get(id(value)) or public_place(value)
    for long, short in SHORT.items():
        if module == long or module.startswith(f"{long}."):
            below = "" if held_by(long, name) is value else module.removeprefix(long)
            return Source(f"{short}{below}.{name}")
    outer = name.partition(".")[0]
    if not MEANS_MORE.match(outer):
        return Source(name, ((outer, f"from {module} import {outer}"),))
    above, _, last = module.rpartition(".")
    return Source(f"{last}.{name}", ((last, f"from {above} import {last}" if above else f"import {last}"),))


def public_place(value: Any) -> tuple[str, str]:
    """Return the module and the name of a value that `settle` has not recorded.

    Raises `LookupError` if the value has no public name.
    """
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    if "<" in name or not name or name.startswith("_"):
        raise LookupError(f"{value!r} has no name")
    return home_of(value, name), name


def home_of(value: Any, name: str) -> str:
    """Return the nearest module at or above the definition that holds a value, public modules first.

    Raises `LookupError` if no module holds the value.
    """
    parts = str(getattr(value, "__module__", "") or getattr(type(value), "__module__", "")).split(".")
    above = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    public = [module for module in above if not any(part.startswith("_") for part in module.split("."))]
    homes = [module for module in [*public, *above] if held_by(module, name) is value]
    if not homes:
        raise LookupError(f"{value!r} is in no module")
    return homes[0]


def held_by(module: str, name: str) -> Any:
    try:
        loaded = sys.modules.get(module) or importlib.import_module(module)
        return functools.reduce(getattr, name.split("."), loaded)
    except (ImportError, AttributeError):
        return None


def as_said(text: str, module: str, imports: Sequence[str] = ()) -> Source:
    """Parse a user's expression over names from `imports`, `BASE` and the module of the class."""
    lines_by_name = {name: line for line in imports for name in names_bound(line)}
    tree = ast.parse(text, mode="eval")
    bound = {arg.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for arg in node.args}
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in bound]
    lines = {name: lines_by_name.get(name) or import_of(name, module) for name in names}
    return Source(ast.unparse(tree), tuple((name, line) for name, line in lines.items() if line))


def names_bound(line: str) -> list[str]:
    """Return the names that an import statement binds."""
    [statement] = ast.parse(line).body
    assert isinstance(statement, ast.Import | ast.ImportFrom)
    return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]


def import_of(name: str, module: str) -> str:
    """Return the statement that imports a name from a module, or an empty string."""
    known = vars(sys.modules[module])
    if name in BASE or name not in known:
        return ""
    value = known[name]
    if type(value) is type(sys):
        whole = value.__name__
        return f"import {whole}" if whole == name else f"import {whole} as {name}"
    return f"from {module} import {name}"
