"""Founding case 4 (flax#4762): a tree map over an NNX state meets values or Variables, and not what one expects.

What was published, and what people write, against today's Flax; then the same operations on what the tool emits.
"""

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_laws


def is_variable(node: Any) -> bool:
    return isinstance(node, nnx.Variable)


def plain_state() -> nnx.State:
    return nnx.State({"param1": nnx.Param(jnp.float32(10.0)), "stat": nnx.BatchStat(jnp.float32(2.0))})


@pytest.fixture(name="block")
def _block(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The emitted module, imported by path, beside the module that it imports."""
    monkeypatch.syspath_prepend(EXAMPLES)
    spec = importlib.util.spec_from_file_location("emitted_nnx_block", EXAMPLES / "nnx_block.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


class TestWhatWasPublished:
    def test_the_bare_map_meets_raw_values(self) -> None:
        met: list[type] = []
        jax.tree.map(lambda leaf: met.append(type(leaf)), plain_state())
        assert not any(issubclass(kind, nnx.Variable) for kind in met)
        with pytest.raises(AttributeError, match="value"):
            jax.tree.map(lambda leaf: leaf.value, plain_state())

    def test_the_variable_state_of_the_report_is_an_alias_that_warns(self) -> None:
        with pytest.warns(DeprecationWarning):
            assert nnx.VariableState is nnx.Variable

    def test_dispatch_without_is_leaf_silently_does_nothing(self) -> None:
        def process(leaf: Any) -> Any:
            return leaf.get_value() * 2 if is_variable(leaf) else leaf

        mapped = jax.tree.map(process, plain_state())
        assert is_variable(mapped["param1"])
        assert mapped["param1"].get_value() == 10.0

    def test_is_leaf_stops_the_descent_and_filters_nothing(self) -> None:
        def is_param(node: Any) -> bool:
            return isinstance(node, nnx.Param)

        met: list[type] = []
        jax.tree.map(lambda leaf: met.append(type(leaf)), plain_state(), is_leaf=is_param)
        assert nnx.Param in met and len(met) == 2

    def test_wrapping_again_wraps_twice(self) -> None:
        wrapped = jax.tree.map(nnx.Param, plain_state())
        assert is_variable(wrapped["param1"].get_value())


class TestWhatIsEmitted:
    def test_the_map_dispatches_by_type(self, block: ModuleType) -> None:
        mapped = block.map_variables({nnx.Param: lambda value: value * 2}, plain_state())
        assert type(mapped["param1"]) is nnx.Param and mapped["param1"].get_value() == 20.0
        assert type(mapped["stat"]) is nnx.BatchStat and mapped["stat"].get_value() == 2.0

    def test_values_come_out_of_a_mapped_state(self, block: ModuleType) -> None:
        mapped = block.map_variables({nnx.Param: lambda value: value + 1}, plain_state())
        assert nnx.to_pure_dict(mapped) == {"param1": 11.0, "stat": 2.0}

    def test_the_module_and_its_state_give_the_same(self, block: ModuleType) -> None:
        module = block.NnxBlock(3, rngs=nnx.Rngs(0))
        halves = {nnx.Param: lambda value: value / 2}
        of_module = block.map_variables(halves, module)
        of_state = block.map_variables(halves, nnx.state(module))
        assert jax.tree.all(jax.tree.map(jnp.array_equal, of_module, of_state))
        assert jnp.array_equal(of_module["mix"].get_value(), module.mix[...] / 2)
        assert jnp.array_equal(of_module["calls"].get_value(), module.calls[...])

    def test_it_works_under_jit(self, block: ModuleType) -> None:
        double = jax.jit(lambda state: block.map_variables({nnx.Param: lambda value: value * 2}, state))
        assert double(plain_state())["param1"].get_value() == 20.0

    def test_a_snapshot_does_not_follow_the_module(self, block: ModuleType) -> None:
        module = block.NnxBlock(3, rngs=nnx.Rngs(0))
        live, kept = nnx.state(module), module.snapshot()
        module(jnp.ones(3))
        assert (int(live["calls"].get_value()), int(kept["calls"].get_value())) == (1, 0)

    def test_jax_jit_loses_the_update_and_split_and_merge_keep_it(self, block: ModuleType) -> None:
        module = block.NnxBlock(3, rngs=nnx.Rngs(0))
        jax.jit(lambda module, x: module(x))(module, jnp.ones(3))
        assert int(module.calls[...]) == 0
        graphdef, state = nnx.split(module)

        @jax.jit
        def step(state: nnx.State, x: jax.Array) -> tuple[jax.Array, nnx.State]:
            merged = nnx.merge(graphdef, state)
            return merged(x), nnx.state(merged)

        module.restore(step(state, jnp.ones(3))[1])
        assert int(module.calls[...]) == 1

    def test_merge_goes_by_position_and_restore_by_path(self, block: ModuleType) -> None:
        module = block.NnxBlock(3, rngs=nnx.Rngs(0))
        flat = dict(nnx.to_flat_state(module.snapshot()))
        flat[("bias_of_another",)] = flat.pop(("bias",))
        renamed = nnx.from_flat_state(flat)
        nnx.merge(nnx.graphdef(module), renamed)  # Flax takes it
        with pytest.raises(ValueError, match="does not fit at"):
            module.restore(renamed)


@dataclass(frozen=True)
class Break:
    """An edit of the emitted module: texts to replace, each of which is there once, and the laws that notice."""

    edits: tuple[tuple[str, str], ...]
    laws: tuple[str, ...]
    file: str = "nnx_block"


IS_LEAF = """    return jax.tree.map(
        mapped, state, is_leaf=lambda node: isinstance(node, nnx.Variable)
    )"""
BIAS = "self.bias = nnx.Param(jnp.zeros((size,), dtype)) if use_bias else None"
BREAKS = {
    "the bare map": Break(((IS_LEAF, "    return jax.tree.map(mapped, state)"),), ("P16",), "nnx_state"),
    "is_leaf as a filter": Break(
        ((IS_LEAF, IS_LEAF.replace("nnx.Variable)", "nnx.Param)")),),
        ("P16",),
        "nnx_state",
    ),
    "a map that edits in place": Break(
        (
            (
                "        return node.replace(value if kind is None else functions[kind](value))",
                "        if kind is not None:\n            node.set_value(functions[kind](value))\n        return node",
            ),
        ),
        ("P15", "P16"),
        "nnx_state",
    ),
    "a plain array for a Param": Break(
        (
            (BIAS, "self.bias = jnp.zeros((size,), dtype) if use_bias else None"),
            ("self.bias[...]", "self.bias"),
        ),
        ("P2",),
    ),
    "a Param for a BatchStat": Break((("self.mean = nnx.BatchStat(", "self.mean = nnx.Param("),), ("P2",)),
    "a plain list that was empty": Break(
        (
            ("self.layers = nnx.List(", "self.layers = []\n        self.layers.extend("),
            ("layers: nnx.List[nnx.Linear]", "layers: list[nnx.Linear]"),
        ),
        ("P2",),
    ),
    "a plain list of modules": Break((("self.layers = nnx.List(", "self.layers = list("),), ("P1",)),
    "a state that is aliased": Break(
        (("        return map_variables({}, self)", "        return nnx.state(self)"),), ("P15",)
    ),
    "a state that is loaded without a look": Break(
        (("    if wrong:", "    if False:"),), ("P14",), "nnx_state"
    ),
    "a call that jax.jit compiles, which loses its updates": Break(
        (("    def __call__(", "    @jax.jit\n    def __call__("),), ("P12",)
    ),
    "an update that replaces the Variable's array type": Break(
        (("self.calls[...] += 1", "self.calls.set_value(self.calls[...] + 1.0)"),), ("P7", "P11")
    ),
    "a value stored as an attribute": Break(
        (
            (
                "        self.calls[...] += 1",
                "        self.last = float(self.depth)\n        self.calls[...] += 1",
            ),
        ),
        ("P12",),
    ),
    "a state whose gradient is cut off": Break(
        (("(x - self.mean[...])", "(x - jax.lax.stop_gradient(self.mean[...]))"),), ("P9",)
    ),
    "one key for two draws": Break(
        (
            (
                "        self.layers = nnx.List(",
                "        key = rngs.params()\n        self.layers = nnx.List(",
            ),
            ("param_dtype=dtype, rngs=rngs)", "param_dtype=dtype, rngs=nnx.Rngs(key))"),
        ),
        ("P15",),
    ),
}


@pytest.mark.spread(10)
@pytest.mark.parametrize("name", BREAKS)
def test_the_generated_tests_catch_the_mistake(name: str, tmp_path: Path) -> None:
    project = copy_example("nnx_block", tmp_path / "project")
    module = project / f"{BREAKS[name].file}.py"
    text = module.read_text()
    for old, new in BREAKS[name].edits:
        assert text.count(old) == 1, f"the example no longer reads {old!r}"
        text = text.replace(old, new)
    module.write_text(text)
    wanted = set(BREAKS[name].laws)
    result = forked_pytest(project, "-k", " or ".join(f"p{law[1:]:0>2}" for law in sorted(wanted)))
    assert failed_laws(result) == wanted, result.stdout
