"""Generated layers take the places of those of equinox.nn: the same signatures and, with the same weights, the same numbers."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.support.projects import EXAMPLES

LAYERS = {
    "Linear": "linear",
    "LayerNorm": "layer_norm",
    "GRUCell": "gru_cell",
    "Embedding": "embedding",
    "Dropout": "dropout",
    "MLP": "mlp",
}


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


def generated(name: str) -> Any:
    return getattr(importlib.import_module(LAYERS[name]), name)


def with_weights_of(layer: Any, source: Any) -> Any:
    """`layer` with the arrays of `source`, leaf by leaf in the order of their paths."""
    given = {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_leaves_with_path(source)}
    own = jax.tree_util.tree_leaves_with_path(layer)
    kept = {jax.tree_util.keystr(path) for path, leaf in own if eqx.is_array(leaf)}
    assert kept == {path for path, leaf in given.items() if eqx.is_array(leaf)}
    leaves = [given[jax.tree_util.keystr(path)] if eqx.is_array(leaf) else leaf for path, leaf in own]
    return jax.tree.unflatten(jax.tree.structure(layer), leaves)


@pytest.mark.parametrize("method", ["__init__", "__call__"])
@pytest.mark.parametrize("name", LAYERS)
def test_the_signatures_are_the_same(name: str, method: str) -> None:
    ours, theirs = (
        inspect.signature(getattr(cls, method)) for cls in (generated(name), getattr(eqx.nn, name))
    )
    assert [(one.name, one.kind) for one in ours.parameters.values()] == [
        (one.name, one.kind) for one in theirs.parameters.values()
    ]
    plain = (int, float, bool, str, type(None))
    for own, their in zip(ours.parameters.values(), theirs.parameters.values(), strict=True):
        if isinstance(their.default, plain):
            assert own.default == their.default, own.name


def key(seed: int = 0) -> Any:
    return jax.random.key(seed)


def normal(*shape: int, dtype: Any = jnp.float32) -> Any:
    return jax.random.normal(key(7), shape, dtype)


CASES: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "linear": ("Linear", lambda cls: cls(3, 4, key=key()), lambda layer: layer(normal(3))),
    "linear without bias": (
        "Linear",
        lambda cls: cls(3, 4, use_bias=False, key=key()),
        lambda layer: layer(normal(3)),
    ),
    "linear of a scalar": ("Linear", lambda cls: cls("scalar", 2, key=key()), lambda layer: layer(normal())),
    "linear to a scalar": ("Linear", lambda cls: cls(2, "scalar", key=key()), lambda layer: layer(normal(2))),
    "linear, complex": (
        "Linear",
        lambda cls: cls(2, 3, dtype=jnp.complex64, key=key()),
        lambda layer: layer(normal(2, dtype=jnp.complex64)),
    ),
    "linear, half": (
        "Linear",
        lambda cls: cls(2, 3, dtype=jnp.float16, key=key()),
        lambda layer: layer(normal(2, dtype=jnp.float16)),
    ),
    "layer norm": ("LayerNorm", lambda cls: cls(5), lambda layer: layer(normal(5))),
    "layer norm of a matrix": (
        "LayerNorm",
        lambda cls: cls((2, 3), eps=1e-3),
        lambda layer: layer(normal(2, 3)),
    ),
    "layer norm, half": ("LayerNorm", lambda cls: cls(5), lambda layer: layer(normal(5, dtype=jnp.float16))),
    "layer norm alone": (
        "LayerNorm",
        lambda cls: cls([5], use_weight=False, use_bias=False),
        lambda layer: layer(normal(5)),
    ),
    "gru": ("GRUCell", lambda cls: cls(2, 3, key=key()), lambda layer: layer(normal(2), normal(3))),
    "gru without bias": (
        "GRUCell",
        lambda cls: cls(2, 3, False, key=key()),
        lambda layer: layer(normal(2), normal(3)),
    ),
    "embedding": ("Embedding", lambda cls: cls(5, 3, key=key()), lambda layer: layer(jnp.array(2))),
    "embedding of a table": (
        "Embedding",
        lambda cls: cls(weight=normal(5, 3)),
        lambda layer: layer(jnp.array(-1)),
    ),
    "dropout": ("Dropout", lambda cls: cls(0.3), lambda layer: layer(normal(50), key=key(1))),
    "dropout at inference": ("Dropout", lambda cls: cls(inference=True), lambda layer: layer(normal(50))),
    "dropout of nothing": ("Dropout", lambda cls: cls(0.0), lambda layer: layer(normal(5))),
    "mlp": ("MLP", lambda cls: cls(2, 3, 4, 2, key=key()), lambda layer: layer(normal(2))),
    "mlp of one layer": ("MLP", lambda cls: cls(2, 3, 4, 0, key=key()), lambda layer: layer(normal(2))),
    "mlp of scalars": (
        "MLP",
        lambda cls: cls("scalar", "scalar", 4, 2, key=key()),
        lambda layer: layer(normal()),
    ),
    "mlp, scanned": (
        "MLP",
        lambda cls: cls(2, 3, 4, 3, scan=True, key=key()),
        lambda layer: layer(normal(2)),
    ),
    "mlp with learnt activations": (
        "MLP",
        lambda cls: cls(2, 3, 4, 2, eqx.nn.PReLU(), eqx.nn.PReLU(), key=key()),
        lambda layer: layer(normal(2)),
    ),
    "mlp without biases": (
        "MLP",
        lambda cls: cls(2, 3, 4, 2, use_bias=False, use_final_bias=False, key=key()),
        lambda layer: layer(normal(2)),
    ),
}


@pytest.mark.spread(8)
@pytest.mark.parametrize("case", CASES)
def test_the_same_weights_give_the_same_numbers(case: str) -> None:
    name, build, call = CASES[case]
    theirs = build(getattr(eqx.nn, name))
    ours = with_weights_of(build(generated(name)), theirs)
    expected, got = call(theirs), call(ours)
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    tolerance = 1e-2 if expected.dtype == jnp.float16 else 1e-6
    assert jnp.allclose(got, expected, rtol=tolerance, atol=tolerance)


# Thin, wide and square, since an exchanged or forgotten fan shows in those that are not square alone.
STARTS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "linear, wide": ("Linear", lambda cls, key: cls(100, 200, key=key)),
    "linear, thin": ("Linear", lambda cls, key: cls(300, 7, key=key)),
    "linear from a scalar": ("Linear", lambda cls, key: cls("scalar", 300, key=key)),
    "linear of nothing": ("Linear", lambda cls, key: cls(0, 300, key=key)),
    "linear, complex": ("Linear", lambda cls, key: cls(60, 200, dtype=jnp.complex64, key=key)),
    "linear, half": ("Linear", lambda cls, key: cls(60, 200, dtype=jnp.bfloat16, key=key)),
    "gru, wide": ("GRUCell", lambda cls, key: cls(5, 100, key=key)),
    "gru, thin": ("GRUCell", lambda cls, key: cls(200, 20, key=key)),
    "embedding": ("Embedding", lambda cls, key: cls(50, 30, key=key)),
    "mlp": ("MLP", lambda cls, key: cls(40, 9, 60, 2, key=key)),
    "mlp, scanned": ("MLP", lambda cls, key: cls(40, 9, 60, 3, scan=True, key=key)),
    "layer norm": ("LayerNorm", lambda cls, key: cls(7)),
}
KEYS, BOUND = 200, 0.03


def drawn(layer: Callable[[Any], Any]) -> dict[str, Any]:
    """Each array leaf, by path, of as many layers as there are keys."""
    many = eqx.filter_vmap(layer)(jax.random.split(key(3), KEYS))
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(many, eqx.is_array))
    return {jax.tree_util.keystr(path): leaf for path, leaf in leaves}


def parts(values: Any) -> tuple[Any, ...]:
    """The real parts and, of a complex array, the imaginary ones, flat and in 64 bits."""
    array = np.asarray(values.astype(jnp.complex64 if jnp.iscomplexobj(values) else jnp.float32))
    return (array.real.ravel(), array.imag.ravel()) if np.iscomplexobj(array) else (array.ravel(),)


@pytest.mark.spread(8)
@pytest.mark.parametrize("case", STARTS)
def test_they_start_as_those_of_equinox_do(case: str) -> None:
    name, build = STARTS[case]
    ours = drawn(lambda key: build(generated(name), key))
    theirs = drawn(lambda key: build(getattr(eqx.nn, name), key))
    assert ours.keys() == theirs.keys()
    for path in theirs:
        assert (ours[path].shape, ours[path].dtype) == (theirs[path].shape, theirs[path].dtype), path
        for own, their in zip(parts(ours[path]), parts(theirs[path]), strict=True):
            if not their.size:
                continue
            spread = max(float(their.std()), 1e-6)
            assert abs(own.std() / spread - 1) < BOUND or own.std() == their.std(), path
            assert abs(own.mean() - their.mean()) < 6 * spread / np.sqrt(own.size), path
            if abs(their).max() < 2 * spread:  # uniform: the limits are as good as reached
                assert abs(own).max() == pytest.approx(abs(their).max(), rel=BOUND), path


def test_what_equinox_refuses_is_refused() -> None:
    linear, embedding = generated("Linear"), generated("Embedding")
    for build in (lambda: linear(3, 4), lambda: linear(3), lambda: linear(out_features=4)):
        with pytest.raises(TypeError, match="missing"):
            build()
    with pytest.raises(ValueError, match="give `num_embeddings`"):
        embedding(3, 4)
    with pytest.raises(ValueError, match="not \\(3, 4\\)"):
        embedding(3, 4, weight=normal(2, 2))
    with pytest.raises(RuntimeError, match="give `key`"):
        generated("Dropout")()(normal(3))
    with pytest.raises(ValueError, match="must have shape"):
        generated("LayerNorm")(3)(normal(4))


def test_they_serve_inside_the_containers_of_equinox() -> None:
    linear, dropout, norm = (generated(name) for name in ("Linear", "Dropout", "LayerNorm"))
    layers = [
        linear(3, 4, key=key()),
        norm(4),
        eqx.nn.Lambda(jax.nn.relu),
        dropout(),
        linear(4, 2, key=key(1)),
    ]
    model = eqx.nn.inference_mode(eqx.nn.Sequential(layers))
    assert eqx.filter_jit(model)(normal(3)).shape == (2,)
    active = eqx.tree_at(lambda one: one.layers[3].deterministic, model, replace=False)
    assert active(normal(3), key=key()).shape == (2,)


def test_the_former_name_of_inference_still_warns() -> None:
    dropout = generated("Dropout")
    with pytest.warns(UserWarning, match="`deterministic` is deprecated"):
        assert dropout(deterministic=True).inference is True
