"""What a kind adds to a spec, and what makes no sense for it."""

from pathlib import Path
from typing import Any

import pytest

from scaffold import kinds
from scaffold.errors import ScaffoldError
from scaffold.kind import NAMES, RARE, UNKNOWN, Kind, kind_of
from scaffold.rendering.template_files import templates_folder
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.keys import KINDS
from tests.support.library import Library, spec

CALL = {"args": "x: f[n]", "returns": "f[n]", "body": "return self.w * x"}


def train_state(**parts: Any) -> dict[str, Any]:
    fields = parts.pop("fields", {"model": "Affine"})
    return {"name": "TrainState", "kind": "train-state", "fields": fields, **parts}


def closure(**parts: Any) -> dict[str, Any]:
    return {"name": "Term", "kind": "closure", "fields": {"w": "f[n]"}, "call": CALL, **parts}


def named(**parts: Any) -> dict[str, Any]:
    return {"name": "Belief", "kind": "namedtuple", "fields": {"mean": "f[n]"}, **parts}


def registered(**parts: Any) -> dict[str, Any]:
    return {"name": "Seen", "kind": "pytree", "rebuild": "dataclass", "fields": {"value": "f[n]"}, **parts}


# A row: the bad spec, the good one, and PLACE | WHAT | FIX of the one fault.
# fmt: off
ROWS = [
    (train_state(fields={"net": "Affine"}), train_state(), "fields.model | a train state has a model, of a class | write `model = \"Affine\"`, or `model = \"package.module:Class\"`"),
    (train_state(fields={"model": "f[n]"}), train_state(), "fields.model | a train state has a model, of a class | write `model = \"Affine\"`, or `model = \"package.module:Class\"`"),
    (train_state(fields={"model": "Affine", "step": "i32[]"}), train_state(fields={"model": "Affine", "epoch": "i32[]"}), "fields.step | `step` is a name that the class uses itself | rename it, to `my_step` for example"),
    (train_state(call={"args": "", "body": "return 1"}), train_state(), "call | a class of kind `train-state` has no `call` | remove it"),
    (train_state(groups={"first": ["model"]}), train_state(), "groups | a class of kind `train-state` has no `groups` | remove it"),
    (train_state(constructor="init"), train_state(constructor="factory"), "constructor | a class of kind `train-state` is not built by `init` | remove it"),
    (train_state(options={"ema": 1.0}), train_state(options={"ema": 0.99}), "options.ema | `1.0` is no decay: from 0, and below 1 | write a decay such as 0.999; an average of n steps has 1 - 1/n"),
    (train_state(options={"ema": "0.9"}), train_state(options={"ema": 0}), "options.ema | '0.9' is not a number | write `ema = 0.5`: Decay of an average of the trained weights, from 0 and below 1, such as 0.999."),
    (train_state(options={"keys": True}), train_state(options={"key": True}), "options | unknown key `keys` | did you mean `key`?"),
    (train_state(test={"values": {"optimizer": "=1"}}), train_state(test={"values": {"optimiser": "=optax.sgd(0.1)"}}), "test.values.optimizer | `optimizer` is no argument | did you mean `optimiser`?"),
    (closure(options={"key": True}), closure(), "options | kind `closure` has no options | remove them, or choose a kind that has them"),
    ({key: part for key, part in closure().items() if key != "call"}, closure(), "call | a closure is called | write `[call]` with `args = \"x: f[size]\"`, `returns` and `body`"),
    (closure(fields={"w": "f[n]", "example": "f[]"}), closure(fields={"w": "f[n]", "given": "f[]"}), "fields.example | `example` is a name that the class uses itself | rename it, to `my_example` for example"),
    (closure(constructor="init"), closure(), "constructor | a class of kind `closure` is not built by `init` | remove it"),
    (closure(call={**CALL, "args": "*, x: f[n]"}), closure(), "call.args | a closure takes its arguments by position, and all of them, as jax's loops pass them | remove `*` and the defaults"),
    (named(fields={"mean": "f[n]", "name": "str"}), named(), "fields.name.role | a class of kind `namedtuple` has no `static` | remove it"),
    (named(fields={"mean": "f[n]", "training": {"type": "bool", "role": "buffer"}}), named(), "fields.training | all that a NamedTuple holds are leaves, and `training` is buffer, no array | write `kind = \"pytree\"`, or `kind = \"module\"`"),
    (named(fields={"_mean": "f[n]"}), named(), "fields._mean | a NamedTuple has no field that begins with `_` | write `mean`"),
    (named(fields={"mean": {"type": "f[n]", "check": "mean.ndim == 1"}}), named(), "fields.mean.check | a class of kind `namedtuple` has no `check` | remove it"),
    (named(call={"args": "", "returns": "f[n]", "body": "return self.mean"}), named(), "call | a class of kind `namedtuple` has no `call` | remove it"),
    (named(groups={"first": ["mean"]}), named(), "groups | a class of kind `namedtuple` has no `groups` | remove it"),
    (named(constructor="init"), named(), "constructor | a class of kind `namedtuple` is not built by `init` | remove it"),
    (registered(constructor="init"), registered(), "constructor | rebuild `dataclass` keeps `__init__` for itself | remove `constructor`, or write `rebuild = \"bypass\"`"),
    (registered(layout="nested", groups={"first": ["value"]}), registered(groups={"first": ["value"]}), "layout | `dataclass` is for data that needs no more, and registers one class | write `rebuild = \"bypass\"` or `rebuild = \"factory\"`"),
]
# fmt: on


@pytest.mark.parametrize(("bad", "good", "told"), ROWS, ids=[row[2].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], good: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    assert [f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults] == [told]
    read_spec(good, "s")


def test_a_kind_is_its_files() -> None:
    files = Path(kinds.__file__).parent.glob("[a-z]*.py")
    assert KINDS == NAMES == tuple(sorted(path.stem.replace("_", "-") for path in files))
    assert all((templates_folder() / name).is_dir() for name in NAMES)


def test_a_kind_that_does_not_exist_has_the_defaults_of_all() -> None:
    assert kind_of("no-such-kind") is UNKNOWN and not UNKNOWN.options and not UNKNOWN.summary
    assert all(kind_of(name).summary and kind_of(name) != UNKNOWN for name in NAMES)


def test_what_a_kind_overrides_is_there_to_be_overridden() -> None:
    assert all(vars(type(kind_of(name))).keys() <= {*dir(Kind)} for name in NAMES)
    rare = {key for name in NAMES for key in kind_of(name).adds}
    assert rare == {*RARE} and not any({*RARE} & {*kind_of(name).lacks} for name in NAMES)


def test_what_the_kind_adds() -> None:
    whole = read_spec(train_state(options={"ema": 0.9, "key": True, "state": True}), "s")
    names = ["model", "opt_state", "step", "key", "state", "ema", "ema_decay"]
    assert [field.name for field in whole.fields] == names
    plain = read_spec(train_state(), "s")
    assert [field.name for field in plain.fields] == ["model", "opt_state", "step"]
    assert [one.name for one in read_spec(closure(), "s").arguments] == ["w", "example"]


def test_the_call_of_a_closure_begins_with_code_where_nothing_documents_it(tmp_path: Path) -> None:
    library = Library.at(tmp_path)
    library.generate(term=spec("Term", top='kind = "closure"'))
    assert ') -> Float[Array, " out_size"]:\n        given = _structure_of((x,))\n' in library.read(
        "lib/term.py"
    )
