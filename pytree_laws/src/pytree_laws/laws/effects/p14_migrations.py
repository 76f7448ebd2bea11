"""P14, of files of former versions: `load` takes over changed names, classes and fields, and nothing else."""

import inspect
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from typing import Any, ClassVar, NamedTuple

import jax

from ...engine.applicability import LOADS, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import same_bits
from ...inspect.files import is_refused, path_for
from ...inspect.trees import named_leaves
from ...kinds.pytree import PytreeSuite
from ...patches.type_checks import without_type_checks
from ...report import check, doing
from ...values.example_values import sample

CHECKS = Checks()

HINT = "a file of a former version is read by the rows since: each name as it is now, `former` of each row, a new field from `like`"


class Change(NamedTuple):
    """A row of `migrations`, with the field names that classes use."""

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}
    former: str = ""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Inner:
    """A node that a leaf of the holder has moved into."""

    scale: jax.Array
    offset: jax.Array


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Holder:
    """A node that holds an instance, and that three changes have brought to its present form."""

    migrations: ClassVar[tuple[Change, ...]] = (
        Change(added=("bias",), former="of_files.First"),
        Change(renamed={"piece": "part", "bias": "shift"}, dropped=("gone",), former="of_files.Second"),
        Change(renamed={"scale": "inner.scale"}, added=("inner", "count")),
    )
    part: Any
    piece_width: jax.Array
    shift: jax.Array
    inner: Inner
    count: jax.Array


FIELDS = {
    "First": ("piece", "piece_width", "scale", "gone"),
    "Second": ("piece", "piece_width", "scale", "gone", "bias"),
    "Holder": ("part", "piece_width", "shift", "scale"),
}
"""Fields of each former version, by the name of its class."""
NOW = {"bias": "shift", "scale": "inner.scale", "piece": "part"}


@CHECKS.register(LOADS)
def test_p14_files_of_former_versions_are_loaded(subject: PytreeSuite, tmp_path: Any) -> None:
    cls: Any = type(subject.cached_instance())
    if not hasattr(cls, "migrations") or "migrate" not in inspect.signature(cls.load).parameters:
        not_applicable("the class reads no files of former versions")
    with without_type_checks():  # `Change` is no class of the package, whatever that calls its own
        check_former_versions(subject, cls, tmp_path)


def check_former_versions(subject: PytreeSuite, cls: Any, tmp_path: Any) -> None:
    if is_refused(lambda: _saved_and_loaded(subject, cls, path_for(cls.load, tmp_path / "now"))):
        not_applicable("it saves and loads its own instances alone")
    for name, fields in FIELDS.items():
        former, like = _former(name, fields, subject.changed_instance()), _holder(subject.spare(1))
        path = path_for(cls.load, tmp_path / name)
        with doing("load", f"a file of a former version, {name} with {', '.join(fields)}", HINT):
            cls.save(former, path)
            with warnings.catch_warnings(record=True, action="always") as caught:
                loaded = cls.load(path, like, migrate=True)
        _check_taken_over(name, former, like, loaded)
        dropped = " ".join(str(warning.message) for warning in caught)
        message = (
            f"of a file of {name} the warnings name {dropped or 'nothing'}, and not the one field that went"
        )
        check(("gone" in dropped) == ("gone" in fields), ".gone", message, HINT)


def _saved_and_loaded(subject: PytreeSuite, cls: Any, path: Any) -> None:
    cls.save(_holder(subject.changed_instance()), path)
    cls.load(path, _holder(subject.spare(1)))


def _holder(instance: Any) -> Holder:
    return Holder(
        instance, sample(1, (2,)), sample(2, (3,)), Inner(sample(3, ()), sample(4, (2,))), sample(5, ())
    )


def _former(name: str, fields: Sequence[str], instance: Any) -> Any:
    """Make an instance of a former version, whose class has this name and these fields."""
    values = {
        "piece": instance,
        "part": instance,
        "piece_width": sample(6, (2,)),
        "scale": sample(7, ()),
        "gone": {"low": sample(8, (2,)), "high": sample(9, (2,))},
        "bias": sample(10, (3,)),
        "shift": sample(10, (3,)),
    }
    module = Holder.__module__ if name == Holder.__name__ else "of_files"
    cls: Any = jax.tree_util.register_dataclass(make_dataclass(name, fields))
    cls.__module__ = module  # from Python 3.12 on it is that of the caller otherwise
    return cls(*(values[field] for field in fields))


def _check_taken_over(version: str, former: Any, like: Holder, loaded: Any) -> None:
    """Check that each leaf is that of the file under its present name, or else that of `like`."""
    expected = dict(named_leaves(like))
    for path, leaf in named_leaves(former):
        expected[re.sub(r"^\w+", lambda field: NOW.get(field[0], field[0]), path)] = leaf
    for path, leaf in named_leaves(loaded):
        message = f"a file of its former version {version} gave another value than the one to take over"
        check(same_bits(expected[path], leaf), path, message, HINT)
