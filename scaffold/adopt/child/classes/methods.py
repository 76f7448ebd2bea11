"""Methods of a class that may be its call."""

import inspect
import re
import sys
import typing
from typing import Any

from pytree_laws.declare.methods import is_action
from pytree_laws.inspect.classes import documents_untraced

from ..values.annotations import VARIABLE, known_parameters, parameters_of, required, signature_of, source_of
from ..values.inherited import with_inherited
from .call_text import ARITHMETIC, MATMUL, call_text
from .parts_by_name import gives_part_by_name

SELF = ("self", "module")
NO_CALLS = ("replace", "tree_flatten", "tree_unflatten", "tree_flatten_with_keys", "init", "setup", "to_tuple", "trainable", "keys", "items",
             "values", "copy", "get_raw_value", "eval", "train", "sow", "perturb", "set_attributes")  # fmt: skip


def methods_of(cls: type) -> list[str]:
    """Return the methods that may be the call, first the empty name for `__call__`."""
    method_names = [
        name
        for owner in cls.__mro__
        if not is_base(owner)
        for name, value in vars(owner).items()
        if takes_self(value)
    ]
    public = [name for name in dict.fromkeys(method_names) if not name.startswith("_")]
    plain = [
        name
        for name in public
        if not (name in NO_CALLS or is_action(cls, name) or gives_no_array(getattr(cls, name)))
        and not (gives_part_by_name(getattr(cls, name)) or documents_untraced(getattr(cls, name)))
    ]
    own_call = ["" for name in method_names if name == "__call__"][:1]
    matmul = [MATMUL] if MATMUL in method_names else []
    return [*own_call, *matmul, *plain, *(name for name in ARITHMETIC if name in method_names)]


def actions_of(cls: type) -> list[str]:
    """Return the public methods with arguments that act on the world by their names, such as `fit`."""
    names = [name for name in dir(cls) if not name.startswith("_") and is_action(cls, name)]
    own = [name for name in names if any(name in vars(owner) for owner in cls.__mro__ if not is_base(owner))]
    return [name for name in own if takes_self(getattr(cls, name)) and parameters_of_method(cls, name)]


def gives_no_array(method: Any) -> bool:
    """Whether the return annotation is text or None, as for a drawing or a check."""
    annotations = getattr(inspect.unwrap(method), "__annotations__", {})
    return annotations.get("return", ...) in (str, bytes, None, "str", "bytes", "None")


def form_of_call(cls: Any, method: str) -> str:
    """Return the text of a call with the names of all required parameters."""
    parameters = required(signature_of(getattr(cls, method or "__call__"))[1:])
    by_name = inspect.Parameter.KEYWORD_ONLY
    texts = [f"{each.name}=..." if each.kind is by_name else each.name for each in parameters]
    return call_text("", method, texts).strip()


def takes_self(value: Any) -> bool:
    """Whether an attribute of a class is a method, possibly wrapped."""
    if not callable(value) or isinstance(value, type | staticmethod | classmethod):
        return False
    try:
        return next(iter(inspect.signature(value).parameters), "") in SELF
    except (TypeError, ValueError):
        return False


def is_override(cls: type, name: str) -> bool:
    """Whether a class overrides a method of its bases."""
    return sum(name in vars(owner) for owner in cls.__mro__ if not is_base(owner)) > 1


def is_base(owner: type) -> bool:
    """Whether a class is a common base such as `eqx.Module`, whose methods are not calls."""
    known = {
        ("equinox", "Module"), ("flax.nnx", "Module"), ("flax.nnx", "Pytree"), ("flax.nnx", "Object"),
    }  # fmt: skip
    bases = [getattr(sys.modules.get(module), name, None) for module, name in known]
    if owner.__module__.partition(".")[0] in ("abc", "chex", "collections", "typing"):
        return True
    return owner in (object, tuple, list, dict, typing.Generic, *bases)


def parameters_of_method(cls: type, name: str) -> list[inspect.Parameter] | None:
    """Return the parameters of a method without `self`, or None if there is no signature.

    The class is read, because a wrapper of the instance hides some parameters. Missing annotations come from
    the overridden method of a base. A method that passes all on takes the arguments of the other method.
    """
    name = passed_on_to(cls, name) or name
    try:
        parameters = parameters_of(getattr(cls, name), cls)
    except (AttributeError, TypeError, ValueError):
        return None
    own = parameters[1:] if parameters and parameters[0].name in SELF else parameters
    return with_inherited(cls, name, own)


def passed_on_to(cls: type, name: str) -> str:
    """Return the method to which a method passes on `*args, **kwargs`, which are all that it takes.

    The text is empty if there is no such method.
    """
    method = getattr(cls, name, None)
    taken = [part for part in known_parameters(method) if part.name not in SELF] if callable(method) else []
    if [part.kind for part in taken] != [*VARIABLE]:
        return ""
    positional, keyword = taken
    given = rf"\*{positional.name}, \*\*{keyword.name}"
    targets = re.findall(rf"\bself\.(\w+)\({given}\)", source_of(method))
    return targets[0] if len(targets) == 1 and hasattr(cls, targets[0]) else ""
