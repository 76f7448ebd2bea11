"""Tied arrays: what is refused, how they are written, and ties to the arrays of sub-modules."""

from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.spec.fields.shared import tie
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, passed, scaffold
from tests.support.trees import write_tree

FIELDS = {"w": {"type": "f[a,b]", "role": "param"}, "depth": "int", "rate": "float@buffer"}


def spec(of: str | None = "w.T", type: str = "f[b,a]", **table: Any) -> dict[str, Any]:
    more = table.pop("more", {})
    head = {"type": type, "role": "shared", **({} if of is None else {"of": of}), **table}
    return {"name": "Tied", "fields": {**FIELDS, **more, "head": head}}


# fmt: off
ROWS = [
    (spec(None), spec(), "of | a shared field is an array of another field | write `of = \"w\"`: the array that stores it"),
    (spec("v.T"), spec(), "of | the name `v` is not known here | declare it in `arguments` or as a field, or write `imports = [\"from ... import v\"]`"),
    (spec("self.v.T"), spec("self.w.T"), "of | `self.v` is no field | declare it as a field"),
    (spec(""), spec(), "of | is empty | write an expression, or remove it"),
    (spec("w +"), spec(), "of | not Python: invalid syntax (line 1) | write an expression"),
    (spec("head.T"), spec(), "of | `head` is the field itself | name a field that always stores arrays"),
    (spec("tail.T", more={"tail": {"type": "f[a,b]", "role": "shared", "of": "w"}}), spec("w.T", more={"tail": {"type": "f[a,b]", "role": "shared", "of": "w"}}), "of | `tail` is shared, and stores nothing | name a field that always stores arrays"),
    (spec("twice", more={"twice": {"type": "f[b,a]", "role": "derived", "init": "=self.w.T * 2"}}), spec(), "of | `twice` is derived, and stores nothing | name a field that always stores arrays"),
    (spec("depth", "f[]"), spec(), "of | `depth` is static, and no array that can be tied | name a field that always stores arrays"),
    (spec("rate", "f[]"), spec(), "of | `rate` is buffer, and no array that can be tied | name a field that always stores arrays"),
    (spec("m", more={"m": {"type": "f[b,a]", "role": "state", "init": "zeros"}}), spec(), "of | `m` is state, and no array that can be tied | name a field that always stores arrays"),
    (spec("v.T", more={"v": {"type": "f[a,b]", "role": "param", "optional": "use_v"}}), spec("v.T", more={"v": {"type": "f[a,b]", "role": "param"}}), "of | `v` may be None, and then there is nothing to read | name a field that always stores arrays"),
    (spec("w + v", more={"v": {"type": "f[a,b]", "role": "param"}}), spec("w", "f[a,b]", more={"v": {"type": "f[a,b]", "role": "param"}}), "of | reads `w` and `v`, and a shared field is one array | tie it to one of them, or write `role = \"derived\"` and `init`"),
    (spec("w"), spec("w", "f[a,b]"), "type | `w` is of type `f[a,b]` | write `type = \"f[a,b]\"`"),
    (spec("w.T", "f[a,b]"), spec("w.T"), "type | `w.T` is of type `f[b,a]` | write `type = \"f[b,a]\"`"),
    (spec("w.T", "f32[b,a]"), spec("w.T"), "type | `w.T` is of type `f[b,a]` | write `type = \"f[b,a]\"`"),
    (spec(init="zeros"), spec(), "init | `init` says nothing of a shared field | remove it, or write another role"),
    (spec(preprocess="head * 2"), spec(), "preprocess | `preprocess` says nothing of a shared field | remove it, or write another role"),
    (spec(default=3.0), spec(), "default | `default` says nothing of a shared field | remove it, or write another role"),
    (spec(optional="use_head"), spec(), "optional | `optional` says nothing of a shared field | remove it, or write another role"),
    (spec(type="list[f[b,a]]"), spec(), "role | role `shared` does not go with type `list[f[b,a]]` | write one of param, data, buffer, derived"),
]
# fmt: on


@pytest.mark.parametrize(("bad", "good", "told"), ROWS, ids=[row[2].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(bad: dict[str, Any], good: dict[str, Any], told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "s")
    found = [f"{fault.where[3:]} | {fault.what} | {fault.fix}" for fault in caught.value.faults]
    assert found == [f"fields.head.{told}"]
    read_spec(good, "s")


def test_only_a_shared_field_is_tied() -> None:
    with pytest.raises(ScaffoldError, match="`of` says nothing of a data field"):
        read_spec({"name": "Tied", "fields": {"w": {"type": "f[a]", "of": "w"}}}, "s")


def test_the_leaf_of_a_tie() -> None:
    for of, path in {
        "w": "w",
        "self.w": "w",
        "jnp.transpose(w)": "w",
        "w[::-1].reshape(-1)": "w",
        "encoder.weight.reshape(-1)": "encoder.weight",
        "encoder.weight.T": "encoder.weight",
        "layers[0].weight": "layers.0.weight",
        "jnp.moveaxis(table['a'], 0, 1)": "table.a",
    }.items():
        raw = {"type": "f[a,b]", "role": "shared", "of": of}
        more = {"encoder": "Affine", "layers": "list[Affine]", "table": "dict[str, f[a,b]]@param"}
        read = read_spec({"name": "Tied", "fields": {**FIELDS, **more, "head": raw}}, "s")
        field = read.field("head")
        assert field is not None and tie(read, field) == path


def test_a_token_ties() -> None:
    expected = {"type": "f[b,a]", "role": "shared", "of": "w.T"}
    assert parse_field_text("f[b,a]@shared=w.T") == parse_field_text("f[b,a]@shared==w.T") == expected


AUTOENCODER = """\
name = "Autoencoder"
[fields]
encoder = { type = "Affine", init = "=Affine.create(hidden, size, dtype=dtype, key=key)" }
centre = "f[size]@buffer"
decoder = { type = "f[size,hidden]", role = "shared", of = "encoder.weight.T" }
middle = { type = "f[size]", role = "shared", of = "centre" }
[call]
args = "x: f[size]"
returns = "f[size]"
body = "return self.decoder @ jnp.tanh(self.encoder(x - self.middle))"
"""


@pytest.mark.slow  # tied_embedding of generated_examples is tied
def test_arrays_of_sub_modules_are_tied(tmp_path: Path) -> None:
    affine = (EXAMPLES / "specs/affine.toml").read_text()
    tree = AUTOENCODER.replace('name = "A', 'name = "TreeA').replace("[fields]", 'kind = "pytree"\n[fields]')
    specs = {"affine": affine, "autoencoder": AUTOENCODER, "tree_autoencoder": tree}
    write_tree(tmp_path, {f"specs/{name}.toml": text for name, text in specs.items()})
    result = scaffold(tmp_path, "new-module", "--spec", *(f"specs/{name}.toml" for name in specs))
    assert result.returncode == 0, result.stderr
    assert "return jax.lax.stop_gradient(self.centre)" in (tmp_path / "autoencoder.py").read_text()
    found = forked_pytest(tmp_path, "-k", "shared or ties or Autoencoder and (p02 or p14 or p16)")
    assert passed(found) >= 26


def test_a_sub_module_stores_what_is_tied(tmp_path: Path) -> None:
    wrong = AUTOENCODER.replace("encoder.weight.T", "encoder.weigth.T")
    affine = (EXAMPLES / "specs/affine.toml").read_text()
    write_tree(tmp_path, {"specs/affine.toml": affine, "specs/autoencoder.toml": wrong})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/autoencoder.toml")
    assert result.returncode == 2
    assert result.stderr == (
        "error: specs/autoencoder.toml:5:55: fields.decoder.of: `Affine` stores no `weigth`\n"
        "  legal: weight, bias\n  fix: did you mean `weight`?\n"
    )


def test_a_tie_that_the_call_does_not_read_is_said_to_be_unused(tmp_path: Path) -> None:
    tied = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, shared, test


@test(unused=["head"])
class Tied(Module):
    items: Float[Array, "things size"] = param("normal")
    head: Float[Array, "size things"] = shared("items.T")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " things"]:
        return self.items @ x
"""
    write_tree(tmp_path, {"specs/tied.py": tied})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/tied.py").returncode == 0
    found = forked_pytest(tmp_path, "-k", "shared or ties")
    assert passed(found) > 1
