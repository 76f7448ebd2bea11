"""docs/emitted.md: its classes run, agree with the emitted ones, and those are the examples as they are."""

import ast
import importlib
import re
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import pytest
from flax import nnx

from scaffold.kind import NAMES
from tests.support.projects import EXAMPLES, REPOSITORY

PAGE = REPOSITORY / "docs" / "emitted.md"
BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEY = jax.random.key(0)


def sections() -> dict[str, str]:
    """The sections of the page, by title."""
    return dict(re.findall(r"^## (.+)\n((?:.|\n)*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE))


EXAMPLE = {
    "module": "affine",
    "pytree": "table_bypass",
    'pytree, rebuild = "dataclass"': "observation",
    "namedtuple": "belief",
    "train-state": "train_state",
    "closure": "loop_condition",
    "nnx": "nnx_block",
    "abstract": "abstract_norm",
}


def code_lines(source: str) -> int:
    """Lines of code: no blank ones, no comments, and no docstrings."""
    prose = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and line.strip()[0] != "#" and n not in prose for n, line in lines)


def table() -> str:
    rows = ["| kind | by hand | emitted |", "|---|---|---|"]
    for title, text in sections().items():
        hand, emitted = BLOCK.findall(text)
        rows.append(f"| `{title}` | {code_lines(hand)} | {code_lines(emitted)} |")
    return "\n".join(rows)


def refresh() -> None:
    """The page with the emitted files, and the table, as they are now."""
    text = PAGE.read_text()
    for title, name in EXAMPLE.items():
        source = (EXAMPLES / f"{name}.py").read_text()
        part = sections()[title]
        blocks = list(BLOCK.finditer(part))
        start, end = (
            blocks[1].span() if len(blocks) > 1 else re.search(r"^EMITTED \w+$", part, re.MULTILINE).span()
        )  # type: ignore[union-attr]
        text = text.replace(part, f"{part[:start]}```py\n{source}```{part[end:]}")
        PAGE.write_text(text)
    PAGE.write_text(
        re.sub(r"^TABLE$|^\| kind \|(?:.|\n)*?(?=\n\n)", table(), text, count=1, flags=re.MULTILINE)
    )


def test_the_emitted_files_are_the_examples(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--refresh-examples"):
        refresh()
    shown = {title: BLOCK.findall(text)[1] for title, text in sections().items()}
    assert shown == {title: (EXAMPLES / f"{name}.py").read_text() for title, name in EXAMPLE.items()}
    assert table() in PAGE.read_text()
    # A class that is emitted as it is written has no other form.
    assert {title.partition(",")[0] for title in shown} == {*NAMES} - {"as-written"}


def by_hand(title: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "by_hand"}
    exec(compile(BLOCK.findall(sections()[title])[0], "by_hand", "exec", dont_inherit=True), names)
    return names


def module(hand: Any, emitted: Any) -> tuple[Any, Any]:
    ours = emitted.Affine.create(3, 2, key=KEY)
    theirs = transplanted(hand["Affine"](3, 2, key=KEY), ours)
    return theirs(jnp.arange(2.0)), ours(jnp.arange(2.0))


def pytree(hand: Any, emitted: Any) -> tuple[Any, Any]:
    ours = emitted.TableBypass.create({"b": 2.0}, 0.5, 2)
    theirs = transplanted(hand["TableBypass"]({"b": jnp.zeros(())}, jnp.zeros(()), 2), ours)
    return theirs(jnp.arange(2.0)), ours(jnp.arange(2.0))


def dataclass(hand: Any, emitted: Any) -> tuple[Any, Any]:
    held = jnp.ones(2), jnp.eye(2), "left"
    return vars(hand["Observation"](*held)), vars(emitted.Observation.create(*held))


def namedtuple(hand: Any, emitted: Any) -> tuple[Any, Any]:
    held = jnp.ones(2), jnp.eye(2), jnp.zeros(())
    return hand["Belief"](*held)._asdict(), emitted.Belief(*held)._asdict()


def train_state(hand: Any, emitted: Any) -> tuple[Any, Any]:
    model = importlib.import_module("affine").Affine.create(3, 2, key=KEY)
    slopes, optimiser = jax.tree.map(jnp.ones_like, model), optax.adamw(0.1)
    states = [cls.create(model, optimiser, key=KEY) for cls in (hand["TrainState"], emitted.TrainState)]
    for _ in range(2):
        states = [state.apply_gradients(slopes, optimiser) for state in states]
    theirs, ours = ([state.model, state.ema, state.opt_state, state.step] for state in states)
    return theirs, ours


def closure(hand: Any, emitted: Any) -> tuple[Any, Any]:
    values = [(jnp.asarray(step, jnp.int32), jnp.full(2, size)) for step in (1, 9) for size in (0.1, 2.0)]
    theirs = hand["loop_condition"](1.0, 5)
    ours = emitted.LoopCondition.create(1.0, 5, (values[0],))
    return [theirs(value) for value in values], [ours(value) for value in values]


def of_nnx(hand: Any, emitted: Any) -> tuple[Any, Any]:
    ours, theirs = emitted.NnxBlock(3, rngs=nnx.Rngs(0)), hand["NnxBlock"](3, rngs=nnx.Rngs(1))
    nnx.replace_by_pure_dict(state := nnx.state(theirs), nnx.to_pure_dict(nnx.state(ours)))
    nnx.update(theirs, state)
    results = [(one(jnp.arange(3.0)), one(jnp.ones(3))) for one in (theirs, ours)]
    return (results[0], nnx.to_pure_dict(nnx.state(theirs))), (results[1], nnx.to_pure_dict(nnx.state(ours)))


def abstract(hand: Any, emitted: Any) -> tuple[Any, Any]:
    both = hand["AbstractNorm"], emitted.AbstractNorm
    theirs, ours = ([cls.__abstractmethods__, set(cls.__abstractvars__)] for cls in both)
    assert theirs == ours and theirs[0]
    return (), ()


def transplanted(hand: Any, emitted: Any) -> Any:
    """The instance by hand, with the leaves of the emitted one, which lie under the same paths."""
    assert paths(hand) == paths(emitted)
    return jax.tree.unflatten(jax.tree.structure(hand), jax.tree.leaves(emitted))


def paths(tree: Any) -> list[str]:
    return [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(tree)]


COMPARE: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = dict(
    zip(EXAMPLE, (module, pytree, dataclass, namedtuple, train_state, closure, of_nnx, abstract), strict=True)
)


@pytest.mark.parametrize("title", EXAMPLE)
def test_both_give_the_same(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for path in EXAMPLES.glob("*.py"):  # another test may have imported a module of the same name
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    theirs, ours = COMPARE[title](by_hand(title), importlib.import_module(EXAMPLE[title]))
    pairs = zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True)
    for one, other in pairs:
        if isinstance(one, str):
            assert one == other
        else:
            np.testing.assert_allclose(one, other, rtol=1e-6)
