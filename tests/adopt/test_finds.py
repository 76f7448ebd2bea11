"""What `scaffold adopt` finds of classes of every style: one process answers all questions."""

import importlib
import re
from pathlib import Path

import pytest

from scaffold.adopt.emit.class_suite import skips_of
from tests.adopt.adopted_classes import FOUND, LEFT_OUT, SOURCE
from tests.adopt.asking import Asked, asked_of
from tests.support.trees import write_tree

UNUSABLE = "TypeError: unsupported operand type(s) for *: 'float' and 'dict'"
SHAPES = """
import equinox as eqx


class Shape(eqx.Module):
    size: float


class Square(Shape):
    pass
"""


asked = asked_of("styles", SOURCE)


@pytest.mark.slow
def test_classes_are_listed_and_others_left_out_with_the_word_why(asked: Asked) -> None:
    every = {one["name"]: one["why"] for one in asked.listed["classes"]}
    assert {name: why for name, why in every.items() if why} == LEFT_OUT
    assert {*every} - {*LEFT_OUT} == {*FOUND, "Choosy", "Halfway", "Misspelt", "Secret", "Unfinished"}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", FOUND)
def test_it_is_found_how_a_class_is_built_and_called(asked: Asked, name: str) -> None:
    found = asked.adopt(name)
    inputs = ", ".join(f"{key}={text}" for key, text in found["inputs"])
    arguments = [text for _, text, _ in found.get("arguments", ())]
    assert (f"{found['maker']}({inputs})", found.get("method", ""), arguments) == FOUND[name]
    assert not found.get("idle")
    assert found["called"] is bool(arguments)


@pytest.mark.slow
def test_what_nobody_can_know_is_asked_for(asked: Asked) -> None:
    found = asked.adopt("Secret")
    assert (found["built"], found["unknown"]) == (False, ["password"])
    told = asked.adopt("Secret", said={"password": "int"})
    assert told["why"] == "ValueError: nobody knows it"
    assert asked.adopt("Unfinished")["abstract"] == "it leaves its call to subclasses: NotImplementedError: "
    assert asked.adopt("Choosy")["why"] == "NotImplementedError: of events alone"


def test_a_class_of_which_nobody_knows_how_it_is_used_is_held_to_no_use(asked: Asked) -> None:
    found = asked.adopt("Halfway")
    assert found["unusable"] == [["unwrap", UNUSABLE]]
    (skip, why) = skips_of(found)[0]
    assert skip == "p07_methods_give"
    assert why.startswith(f"it is not known how `unwrap` is used, which raised {UNUSABLE}")
    assert asked.adopt("Halfway", build="Halfway(3)")["unusable"] == []
    assert asked.adopt("Misspelt")["unusable"] == []


def test_what_is_said_comes_first(asked: Asked) -> None:
    found = asked.adopt("Heads", said={"heads": "4", "x": "jnp.ones((8,))"})
    assert (found["inputs"], found["arguments"]) == (
        [["heads", "4"], ["size", "8"]],
        [["x", "jnp.ones((8,))", False]],
    )
    found = asked.adopt("Lookup", build="Lookup(sample(seed, (7, 2)))", call="lookup(jnp.array(6))")
    assert (found["build"], found["inputs"]) == ("Lookup(sample(seed, (7, 2)))", [])
    assert found["arguments"] == [["index", "jnp.array(6)", False]]
    assert asked.adopt("Lookup", build="Lookup(")["why"] == "is no Python: '(' was never closed"


def test_a_module_in_newer_syntax_is_named(tmp_path: Path) -> None:
    from scaffold.adopt.child.protocol.adopt import syntax_text

    write_tree(tmp_path, {"newer.py": "type Pair = (int\n"})
    with pytest.raises(SyntaxError) as caught:
        compile("type Pair = (int\n", str(tmp_path / "newer.py"), "exec")
    text = syntax_text(caught.value)
    assert re.fullmatch(
        r"newer.py:1 is no Python 3\.\d+, which this interpreter reads: .*: type Pair.*", text
    )


@pytest.mark.slow  # a run of its own
def test_the_declaration_is_what_the_instance_holds(asked: Asked) -> None:
    found = asked.adopt("Unannotated")
    assert (found["leaves"], found["outputs"]) == (['Leaf("weight", "param", (2, 3))'], ["Output((2,))"])
    found = asked.adopt("Neurons")
    assert found["leaves"] == ['Var("weight", nnx.Param, (3,))']
    static = [["mode", "..."], ["norm", '"first"'], ["is_signed", "False"]]  # an enum has no literal
    assert asked.adopt("Flags")["static"] == static


@pytest.mark.slow
def test_a_class_that_a_law_has_made_is_no_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise what is found of a class would depend on which suites have run before."""
    from pytree_laws.inspect.classes import second_class
    from pytree_laws.laws.structure.p03_round_trip import trivial_subclass
    from scaffold.adopt.child.building.build import subclasses

    write_tree(tmp_path, {"shapes_of_laws.py": SHAPES})
    monkeypatch.syspath_prepend(str(tmp_path))
    square = importlib.import_module("shapes_of_laws").Square
    made = trivial_subclass(square), second_class(square, str(tmp_path / "shapes_of_laws.py"))
    assert subclasses(square.__base__) == [square]
    assert all(one.__name__ in ("Trivial", "Square") for one in made)


@pytest.mark.slow
def test_the_answer_is_the_same_each_time(asked: Asked) -> None:
    assert [asked.adopt(name) for name in ("Wrapped", "Attention")] == [
        asked.adopt(name) for name in ("Wrapped", "Attention")
    ]
