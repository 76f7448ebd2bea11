"""What the tool does for the classes of one kind, and the kinds that there are, each found by its name.

The rules of a spec ask a kind what its classes may have; a kind emits with all that stands on these rules. So a kind is loaded
when it is asked for by its name, and never imported.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from scaffold.errors import Fault
    from scaffold.spec.model import ModuleSpec  # it reads `NAMES`
    from scaffold.spec.tables.keys import Key

_FOLDER = Path(__file__).with_name("kinds")
NAMES = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(_FOLDER)])))

USUAL_SUITE = "tests"
"""The template of the tests of most kinds."""
Known = Mapping[str, "ModuleSpec"]
"""The specs at hand, by the name of the class."""
Context = dict[str, Any]
"""Plain JSON for templates: names, flags, and fragments that are ready to paste."""


def _as_it_is(spec: "ModuleSpec", known: Known | None = None) -> "ModuleSpec":
    return spec


def _no_fault(spec: "ModuleSpec", known: Known | None = None) -> "Iterable[Fault]":
    return ()


def _nothing(spec: "ModuleSpec", known: Known | None = None) -> Context:
    return {}


class Kind(Struct, frozen=True):
    """What the tool does for the classes of one kind."""

    summary: str
    """One line for `scaffold kinds`."""
    context: "Callable[[ModuleSpec], Context]"
    """From a spec to what the templates of the kind lay out."""
    options: "Mapping[str, Key]" = field(default_factory=dict[str, "Key"])
    """The keys that its table `[options]` takes."""
    imports: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further names that its code uses, with the line that imports each."""
    laws: tuple[str, ...] = ()
    """The suites of `pytree_laws` that its tests import from, each a file or a folder there; one with laws of numbers takes the
    place of the pytree laws."""
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    """The laws that such a suite leaves out, by number, each with the reason."""

    constructor: str = "factory"
    """The constructor where a spec names none."""
    has_instances: bool = True
    """Whether there are instances of its classes; without, `tests` gives all that the test class needs."""
    is_carried: bool = False
    """Whether its classes are emitted word for word, as `source` of the spec has them."""
    suite_template: str = USUAL_SUITE
    """The template that lays the tests out."""
    members: tuple[str, ...] = ()
    """The methods and the attributes that its classes have of their own, beside the fields."""
    called: bool = True
    """Whether its classes may have a call."""
    stores: bool = True
    """Whether the class itself takes its fields alone, where there is a factory that makes them."""
    nests: bool = False
    """Whether its groups may be classes of their own."""
    rebuilds: bool = False
    """Whether a spec chooses how jax rebuilds an instance."""
    plain: bool = False
    """Whether its classes have no constructor but that of their fields, where nothing is made."""
    combines: bool = False
    """Whether its classes put a partition together themselves, since `eqx.combine` is not theirs."""
    rngs: bool = False
    """Whether its constructor takes streams of keys, `rngs`, in the place of a key."""
    variables: bool = False
    """Whether its arrays lie in Variables of Flax, which a call may update."""
    decays: bool = False
    """Whether its classes say which of their parameters weight decay moves."""
    computes: bool = False
    """Whether its methods may cast what they read to a dtype to compute in."""
    keeps_state: bool = False
    """Whether `equinox.nn.State` may keep arrays for its classes."""
    read: "Callable[[ModuleSpec, str], str] | None" = None
    """The author's Python with each field read as the class holds it, where a plain attribute is not enough."""
    varies: bool = False
    """Whether the tests call its classes without each optional part."""
    given_arrays: str = ""
    """The role of float arrays that are given and say none, where that does not depend on the class."""
    abstracted_by: str = "eqx.filter_eval_shape"
    """What makes, of a constructor, an instance of shapes."""

    faults: "Callable[[ModuleSpec], Iterable[Fault]]" = _no_fault
    """What makes no sense for this kind."""
    complete: "Callable[[ModuleSpec], ModuleSpec]" = _as_it_is
    """The spec with the fields and arguments that the kind adds; it must have no faults."""
    faults_beside: "Callable[[ModuleSpec, Known], Iterable[Fault]]" = _no_fault
    """What does not go with the classes that it holds."""
    examined: "Callable[[ModuleSpec, Known], ModuleSpec]" = _as_it_is
    """The spec with what its tests need, where `[test]` does not say it and other specs do."""
    tests: "Callable[[ModuleSpec, Known], Context]" = _nothing
    """Values for `templates/tests` in the place of the usual ones."""


UNKNOWN = Kind("", _nothing)
"""Stands for a kind that does not exist, while the other faults of such a spec are found."""


@cache
def kind_of(name: str) -> Kind:
    """The kind called `name`, one of `NAMES`; `UNKNOWN` for any other."""
    if name not in NAMES:
        return UNKNOWN
    return importlib.import_module(f"scaffold.kinds.{name.replace('-', '_')}").KIND


def described() -> dict[str, dict[str, Any]]:
    """What `scaffold kinds` tells of each kind: its summary, and its options with what each means."""
    return {name: {"summary": kind_of(name).summary, "options": _options(kind_of(name))} for name in NAMES}


def _options(kind: Kind) -> dict[str, str]:
    return {option: f"({key.form}) {key.doc}" for option, key in kind.options.items()}
