"""Interface of a kind, which each module in `scaffold.kinds` implements.

The rules of a spec ask a kind what its classes may have, and kinds emit code by these rules. To avoid a
cycle, `scaffold` hands this module the function that loads a kind.
"""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from scaffold.errors import Fault
    from scaffold.spec.model import ModuleSpec
    from scaffold.spec.tables.key import Key

_FOLDER = Path(__file__).with_name("kinds")
NAMES = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(_FOLDER)])))

AS_WRITTEN = "as-written"
"""Name of the kind, and of its templates, for a class that is emitted word for word."""
USUAL_SUITE = "tests"
"""Template of the tests of most kinds."""
RARE = (
    *("bases", "generic", "layout", "rebuild", "compute", "decay", "stacked", "remat", "variable"),
    *("axis_name", "state", "build"),
)
"""Keys of a spec, and roles, that few kinds accept."""
Known = Mapping[str, "ModuleSpec"]
"""Specs by class name."""
Context = dict[str, Any]
"""Plain JSON for templates: names, flags, and fragments of source."""


class Kind:
    """Base of all kinds, with the defaults that a kind may override."""

    summary: ClassVar[str] = ""
    """Summary of a line, for `scaffold kinds`."""
    options: ClassVar["Mapping[str, Key]"] = {}
    """Keys that the table `[options]` of a spec accepts."""
    adds: ClassVar[tuple[str, ...]] = ()
    """Rare keys and roles that the kind accepts."""
    lacks: ClassVar[tuple[str, ...]] = ()
    """Other keys and roles that the kind refuses."""
    constructors: ClassVar[tuple[str, ...]] = ("factory", "init")
    """Constructors that a spec may choose. The first is the default."""
    imports: ClassVar[Mapping[str, str]] = {}
    """Further names in the emitted code, with the import line of each."""
    laws: ClassVar[tuple[str, ...]] = ()
    """Suites of `pytree_laws` that the tests import from, each a file or a folder there.

    A suite with numbered laws replaces the pytree laws.
    """
    without: ClassVar[Mapping[str, str]] = {}
    """Numbers of the laws that such a suite leaves out, each with the reason."""
    members: ClassVar[tuple[str, ...]] = ()
    """Methods and attributes that the classes have besides their fields."""
    reads: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fields that each of these members always reads."""
    reserved: ClassVar[tuple[str, ...]] = ()
    """Further names that a field must not have."""

    has_instances: ClassVar[bool] = True
    """Whether the classes have instances. If not, `tests` gives the whole context of the test class."""
    laws_call: ClassVar[bool] = False
    """Whether the laws define the call themselves, as for a training step. If not, a method may serve."""
    is_carried: ClassVar[bool] = False
    """Whether a class is emitted word for word, from `source` of the spec."""
    stores: ClassVar[bool] = True
    """Whether `__init__` takes the fields alone where a factory computes them."""
    plain: ClassVar[bool] = False
    """Whether a class that computes no field has only the constructor of its fields."""
    combines: ClassVar[bool] = False
    """Whether the classes merge a partition themselves, since `eqx.combine` does not apply to them."""
    varies: ClassVar[bool] = False
    """Whether the tests also call the classes without each optional part."""
    suite_template: ClassVar[str] = USUAL_SUITE
    """Template of the tests."""
    given_arrays: ClassVar[str] = ""
    """Role of given float arrays without a role, where the class does not decide it."""
    abstracted_by: ClassVar[str] = "eqx.filter_eval_shape"
    """Function that turns a constructor into an instance of shapes."""

    def takes(self, key: str) -> bool:
        """Whether the kind accepts a key or a role."""
        return key in self.adds if key in RARE else key not in self.lacks

    @property
    def variables(self) -> bool:
        """Whether arrays lie in Flax Variables, which a call may update, and keys are streams (`rngs`)."""
        return self.takes("variable")

    @property
    def keeps_state(self) -> bool:
        """Whether `equinox.nn.State` may keep arrays for the classes."""
        return self.takes("state") and not self.variables

    def context(self, spec: "ModuleSpec") -> Context:
        """Return the context of the kind's templates."""
        raise NotImplementedError

    def checked_by_author(self, spec: "ModuleSpec") -> str | None:
        """Return the author's method that must hold the `check` of a field, or None if the tool writes it."""
        return None if spec.own_constructor is None else spec.own_constructor.name

    def read(self, spec: "ModuleSpec", source: str) -> str | None:
        """Rewrite each read of a field as the class stores it.

        None means that plain attributes are enough.
        """
        return None

    def faults(self, spec: "ModuleSpec") -> "Iterable[Fault]":
        """Return the faults of a spec that are particular to this kind."""
        return ()

    def complete(self, spec: "ModuleSpec") -> "ModuleSpec":
        """Add the fields and arguments that the kind implies. The spec must have no faults."""
        return spec

    def faults_beside(self, spec: "ModuleSpec", known: Known) -> "Iterable[Fault]":
        """Return the faults of a spec in view of the classes that it holds."""
        return ()

    def examined(self, spec: "ModuleSpec", known: Known) -> "ModuleSpec":
        """Add what the tests need from other specs where `[test]` does not say it."""
        return spec

    def tests(self, spec: "ModuleSpec", known: Known) -> Context:
        """Return values that replace the usual context of `templates/tests`."""
        return {}


UNKNOWN = Kind()
"""Placeholder for an unknown kind, so that the other faults of its spec are still found."""
_sources: list[Callable[[str], Kind]] = []


def provide(load: Callable[[str], Kind]) -> None:
    """Set the function that loads a kind by name."""
    _sources[:] = [load]


@cache
def kind_of(name: str) -> Kind:
    """Return the kind called `name`, or `UNKNOWN` if `NAMES` lacks it."""
    return _sources[0](name) if name in NAMES else UNKNOWN


def kinds_that_take(key: str) -> tuple[str, ...]:
    """Return the names of the kinds that accept a key or a role."""
    return tuple(name for name in NAMES if kind_of(name).takes(key) and not kind_of(name).is_carried)


def described() -> dict[str, dict[str, Any]]:
    """Return the summary and the options of each kind, for `scaffold kinds`."""
    return {name: {"summary": kind_of(name).summary, "options": _options(kind_of(name))} for name in NAMES}


def _options(kind: Kind) -> dict[str, str]:
    return {option: f"({key.form}) {key.doc}" for option, key in kind.options.items()}
