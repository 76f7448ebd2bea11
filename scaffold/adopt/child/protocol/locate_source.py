"""Where a class is written, and what its source does not say of it."""

import inspect
import re
import sys
from typing import Any

from ..classes.kinds import is_module, kind_of
from ..classes.lookup import add_to_path, load_class

Request = dict[str, Any]


def locate_source(request: Request) -> dict[str, Any]:
    """File, module and name of the class, its kind, and what its bases hold."""
    add_to_path(request["folders"])
    cls = load_class(request["module"], request["name"])
    file = file_of(cls)
    kind = kind_of(cls).name
    return {
        "file": file,
        "module": module_of(file, cls),
        "name": cls.__qualname__,
        "has_statement": says_class(file, cls.__name__),
        "kind": "abstract module" if kind == "abstract" and is_module(cls) else kind,
        "public": public_names(sys.modules.get(module_of(file, cls))),
        "made_of": made_of(cls) if hasattr(cls, "_field_defaults") else None,
    }


def file_of(cls: Any) -> str:
    """The file in which the class is written; of one that a library shows elsewhere, that of its functions."""
    loaded = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    if says_class(loaded, cls.__name__):
        return loaded
    for module in [*sys.modules.values()]:  # of a package that names itself as the module of what it shows
        file = str(getattr(module, "__file__", None) or "")
        is_near = str(getattr(module, "__name__", "")).partition(".")[0] == cls.__module__.partition(".")[0]
        if is_near and vars(module).get(cls.__name__) is cls and says_class(file, cls.__name__):
            return file
    for value in vars(cls).values():
        function: Any = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else value
        function = getattr(function, "fget", function)
        code = getattr(function, "__code__", None)
        is_own = str(getattr(function, "__qualname__", "")).startswith(f"{cls.__qualname__}.")
        if code is not None and is_own and not code.co_filename.startswith("<"):
            return str(code.co_filename)
    try:
        return inspect.getsourcefile(cls) or ""
    except (TypeError, OSError):
        return ""


def says_class(file: str, name: str) -> bool:
    """Whether a file has the statement of a class of this name."""
    try:
        with open(file, encoding="utf-8") as stream:
            return re.search(rf"^class {re.escape(name)}\b", stream.read(), re.MULTILINE) is not None
    except (OSError, ValueError):
        return False


def module_of(file: str, cls: Any) -> str:
    """The module that the file is, from which its relative imports are meant."""
    named = sorted(
        name
        for name, module in [*sys.modules.items()]
        if getattr(module, "__file__", None) == file and name != "__main__"
    )
    return cls.__module__ if cls.__module__ in named else (named or [cls.__module__])[0]


def public_names(module: Any) -> dict[str, str]:
    """For each name of a module that a private module brings, the public one that shows the same."""
    public_modules: dict[str, str] = {}
    for name, value in sorted(vars(module).items()) if module is not None else ():
        parts = str(getattr(value, "__module__", None) or "").split(".")
        if not any(part.startswith("_") for part in parts) and parts[0] != "equinox":
            continue
        above = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        public = (
            module_name
            for module_name in above
            if not any(part.startswith("_") for part in module_name.split("."))
        )
        shown = [
            module_name
            for module_name in public
            if getattr(sys.modules.get(module_name), name, None) is value
        ]
        public_modules |= {name: shown[0]} if shown else {}
    return public_modules


def made_of(cls: Any) -> list[list[str]]:
    """The fields of a named tuple, each with its default as source; those that have none with nothing."""
    defaults = cls._field_defaults
    return [[name, repr(defaults[name]) if name in defaults else ""] for name in cls._fields]
