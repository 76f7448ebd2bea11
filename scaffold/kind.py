"""What the tool does for the classes of one kind. Each kind is a subclass in `scaffold.kinds`, which says what differs.

The rules of a spec ask a kind what its classes may have; a kind emits with all that stands on these rules. So the kinds are
given to this module, by `scaffold` itself, and looked up here by their names.
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
"""The kind, and the templates, of a class that is emitted word for word."""
USUAL_SUITE = "tests"
"""The template of the tests of most kinds."""
RARE = (
    *("bases", "generic", "layout", "rebuild", "compute", "decay", "stacked", "remat", "variable"),
    *("axis_name", "state", "build"),
)
"""Keys of a spec, and a role, that few kinds have a use for."""
Known = Mapping[str, "ModuleSpec"]
"""The specs at hand, by the name of the class."""
Context = dict[str, Any]
"""Plain JSON for templates: names, flags, and fragments that are ready to paste."""


class Kind:
    """What the tool does for the classes of one kind, where that kind does not say otherwise."""

    summary: ClassVar[str] = ""
    """One line for `scaffold kinds`."""
    options: ClassVar["Mapping[str, Key]"] = {}
    """The keys that its table `[options]` takes."""
    adds: ClassVar[tuple[str, ...]] = ()
    """Which of the rare keys and roles it takes."""
    lacks: ClassVar[tuple[str, ...]] = ()
    """Which of the other keys and roles it has no use for."""
    constructors: ClassVar[tuple[str, ...]] = ("factory", "init")
    """The constructors that its classes may have; the first is that of a spec that names none."""
    imports: ClassVar[Mapping[str, str]] = {}
    """Further names that its code uses, with the line that imports each."""
    laws: ClassVar[tuple[str, ...]] = ()
    """The suites of `pytree_laws` that its tests import from, each a file or a folder there; one with laws of numbers takes the
    place of the pytree laws."""
    without: ClassVar[Mapping[str, str]] = {}
    """The laws that such a suite leaves out, by number, each with the reason."""
    members: ClassVar[tuple[str, ...]] = ()
    """The methods and the attributes that its classes have of their own, beside the fields."""
    reads: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The fields that these members always read."""
    reserved: ClassVar[tuple[str, ...]] = ()
    """Further names that no field of the author's may have."""

    has_instances: ClassVar[bool] = True
    """Whether there are instances of its classes; without, `tests` gives all that the test class needs."""
    laws_call: ClassVar[bool] = False
    """Whether its laws say themselves what a call is, as a step of training; else a method may stand for one."""
    is_carried: ClassVar[bool] = False
    """Whether its classes are emitted word for word, as `source` of the spec has them."""
    stores: ClassVar[bool] = True
    """Whether the class itself takes its fields alone, where there is a factory that makes them."""
    plain: ClassVar[bool] = False
    """Whether its classes have no constructor but that of their fields, where nothing is made."""
    combines: ClassVar[bool] = False
    """Whether its classes put a partition together themselves, since `eqx.combine` is not theirs."""
    varies: ClassVar[bool] = False
    """Whether the tests call its classes without each optional part."""
    suite_template: ClassVar[str] = USUAL_SUITE
    """The template that lays the tests out."""
    given_arrays: ClassVar[str] = ""
    """The role of float arrays that are given and say none, where that does not depend on the class."""
    abstracted_by: ClassVar[str] = "eqx.filter_eval_shape"
    """What makes, of a constructor, an instance of shapes."""

    def takes(self, key: str) -> bool:
        """Whether a key, or a role, is for its classes."""
        return key in self.adds if key in RARE else key not in self.lacks

    @property
    def variables(self) -> bool:
        """Whether its arrays lie in Variables of Flax, which a call may update, and its keys are streams, `rngs`."""
        return self.takes("variable")

    @property
    def keeps_state(self) -> bool:
        """Whether `equinox.nn.State` may keep arrays for its classes."""
        return self.takes("state") and not self.variables

    def context(self, spec: "ModuleSpec") -> Context:
        """From a spec to what the templates of the kind lay out."""
        raise NotImplementedError

    def checked_by_author(self, spec: "ModuleSpec") -> str | None:
        """The author's method that would have to hold the `check` of a field, since the tool writes none beside it."""
        return None if spec.own_constructor is None else spec.own_constructor.name

    def read(self, spec: "ModuleSpec", source: str) -> str | None:
        """The author's Python with each field read as the class holds it; None where a plain attribute is enough."""
        return None

    def faults(self, spec: "ModuleSpec") -> "Iterable[Fault]":
        """What makes no sense for this kind."""
        return ()

    def complete(self, spec: "ModuleSpec") -> "ModuleSpec":
        """The spec with the fields and arguments that the kind adds; it must have no faults."""
        return spec

    def faults_beside(self, spec: "ModuleSpec", known: Known) -> "Iterable[Fault]":
        """What does not go with the classes that it holds."""
        return ()

    def examined(self, spec: "ModuleSpec", known: Known) -> "ModuleSpec":
        """The spec with what its tests need, where `[test]` does not say it and other specs do."""
        return spec

    def tests(self, spec: "ModuleSpec", known: Known) -> Context:
        """Values for `templates/tests` in the place of the usual ones."""
        return {}


UNKNOWN = Kind()
"""Stands for a kind that does not exist, while the other faults of such a spec are found."""
_sources: list[Callable[[str], Kind]] = []


def provide(load: Callable[[str], Kind]) -> None:
    """Say what gives a kind by its name."""
    _sources[:] = [load]


@cache
def kind_of(name: str) -> Kind:
    """The kind called `name`, one of `NAMES`; `UNKNOWN` for any other."""
    return _sources[0](name) if name in NAMES else UNKNOWN


def kinds_that_take(key: str) -> tuple[str, ...]:
    """The names of the kinds that have a use for a key, or a role."""
    return tuple(name for name in NAMES if kind_of(name).takes(key) and not kind_of(name).is_carried)


def described() -> dict[str, dict[str, Any]]:
    """What `scaffold kinds` tells of each kind: its summary, and its options with what each means."""
    return {name: {"summary": kind_of(name).summary, "options": _options(kind_of(name))} for name in NAMES}


def _options(kind: Kind) -> dict[str, str]:
    return {option: f"({key.form}) {key.doc}" for option, key in kind.options.items()}
