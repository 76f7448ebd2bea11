"""The kinds of class: one file each, found by its name.

A kind has `SUMMARY`, one line for `scaffold kinds`, and `context(spec)`, the values that its templates lay out. It may have

- `OPTIONS`: the keys that its table `[options]` takes;
- `IMPORTS`: further names that its code uses, with the line that imports each;
- `faults(spec)`: what makes no sense for this kind;
- `faults_beside(spec, known)`: what does not go with the classes that it holds, of which `known` has the specs;
- `examined(spec, known)`: the spec with what its tests need, where `[test]` does not say it and other specs do;
- `complete(spec)`: the spec with the fields and arguments that the kind adds;
- `NESTS`, whether its groups may be classes of their own;
- `tests(spec, known)`: values for `templates/tests` in the place of the usual ones;
- `ABSTRACT`: True where its classes have no instances; `tests` then gives all of the values;
- `LAWS`: the suites of `pytree_laws` that its tests import from, a file or a folder there; one with laws of numbers takes
  the place of the pytree laws;
- `WITHOUT`: the laws that such a suite leaves out, by number, each with the reason;
- `CONSTRUCTOR`: the constructor where a spec names none, `factory` unless it says so;
- `RNGS`: whether that takes streams of keys, `rngs`, in the place of a key;
- `VARIABLES`: whether its arrays lie in Variables, which a call may update;
- `read(spec, source)`: the author's Python with each field read as the class holds it.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from scaffold.errors import Fault
    from scaffold.spec.model import ModuleSpec  # it reads `NAMES`

NAMES = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


class Kind(Protocol):
    """A module of this package."""

    SUMMARY: str

    def context(self, spec: "ModuleSpec") -> dict[str, Any]:
        """Plain JSON for the templates: names, flags, and fragments that are ready to paste."""
        ...


def kind_of(name: str) -> Kind:
    """The kind called `name`, one of `NAMES`."""
    return cast(Kind, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


def extra(name: str, what: str, default: Any) -> Any:
    """What the kind called `name` has under the name `what`; `default` where it has none, or there is no such kind."""
    return getattr(kind_of(name), what, default) if name in NAMES else default


def described() -> dict[str, dict[str, Any]]:
    """What `scaffold kinds` tells of each kind: its summary, and its options with what each means."""
    return {name: {"summary": kind_of(name).SUMMARY, "options": _options(name)} for name in NAMES}


def _options(name: str) -> dict[str, str]:
    return {option: f"({key.form}) {key.doc}" for option, key in extra(name, "OPTIONS", {}).items()}


def completed(spec: "ModuleSpec") -> "ModuleSpec":
    """The spec with what its kind adds; it must have no faults."""
    complete = extra(spec.kind, "complete", None)
    return spec if complete is None else complete(spec)


def kind_faults(spec: "ModuleSpec") -> "list[Fault]":
    """What makes no sense for the kind of the spec."""
    find = extra(spec.kind, "faults", None)
    return [] if find is None else list(find(spec))


def faults_beside(spec: "ModuleSpec", known: Mapping[str, "ModuleSpec"]) -> "list[Fault]":
    """What does not go with the classes that the spec holds."""
    find = extra(spec.kind, "faults_beside", None)
    return [] if find is None else list(find(spec, known))


def examined(spec: "ModuleSpec", known: Mapping[str, "ModuleSpec"]) -> "ModuleSpec":
    """The spec with what its tests need, where `[test]` does not say it."""
    complete = extra(spec.kind, "examined", None)
    return spec if complete is None else complete(spec, known)


def values_for_tests(spec: "ModuleSpec", known: Mapping[str, "ModuleSpec"]) -> dict[str, Any]:
    """What the kind of the spec puts into the generated tests in the place of the usual values."""
    make = extra(spec.kind, "tests", None)
    return {} if make is None else make(spec, known)


def law_suites(name: str) -> tuple[str, ...]:
    """The suites of `pytree_laws` that the tests of a kind import, besides the pytree laws."""
    return extra(name, "LAWS", ())
