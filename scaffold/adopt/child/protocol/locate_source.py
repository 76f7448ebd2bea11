"""Location of the source of a class, and facts that the source does not show."""

import inspect
import re
import sys
from typing import Any

from ..classes.kinds import is_module, kind_of
from ..classes.lookup import add_to_path, load_class

Request = dict[str, Any]


def locate_source(request: Request) -> dict[str, Any]:
    """Return file, module, name and kind of a class, and the fields of a named tuple."""
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
    """Return the file that defines a class, found by its methods if its module is another."""
    loaded = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    if says_class(loaded, cls.__name__):
        return loaded
    for module in [*sys.modules.values()]:  # the package may have set `__module__` to itself
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
    """Whether a file has a `class` statement of this name."""
    try:
        with open(file, encoding="utf-8") as stream:
            return re.search(rf"^class {re.escape(name)}\b", stream.read(), re.MULTILINE) is not None
    except (OSError, ValueError):
        return False


def module_of(file: str, cls: Any) -> str:
    """Return the module of a file, to which relative imports in the file refer."""
    named = sorted(
        name
        for name, module in [*sys.modules.items()]
        if getattr(module, "__file__", None) == file and name != "__main__"
    )
    return cls.__module__ if cls.__module__ in named else (named or [cls.__module__])[0]


def public_names(module: Any) -> dict[str, str]:
    """Map names from private modules to the public modules that export the same objects."""
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
    """Return each field of a named tuple with its default as source, empty if there is none."""
    defaults = cls._field_defaults
    return [[name, repr(defaults[name]) if name in defaults else ""] for name in cls._fields]
