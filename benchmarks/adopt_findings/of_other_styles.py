"""Findings in distreqx, jaxlie and e3nn_jax."""

# ruff: noqa: E731

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.adopt_findings.rows import (
    raises,
    row,
)


@row(
    "distreqx",
    "P3",
    "a round trip loses `_strict_initialized` and sets `__doc__` and others on the instance",
    24,
)
def distreqx_attributes() -> bool:
    from distreqx.distributions import Normal

    one = Normal(jnp.zeros(2), jnp.ones(2))
    return vars(one).keys() != vars(jax.tree.map(lambda x: x, one)).keys()


@row("jaxlie.SO2, SO3, SE2, SE3", "P3", "a subclass is no pytree: `jax.tree.leaves` gives the instance", 4)
def jaxlie_subclass() -> bool:
    import jaxlie

    one = type("Own", (jaxlie.SO3,), {})(jnp.ones(4))
    return jax.tree.leaves(one)[0] is one


@row("jaxlie.SO2, SO3, SE2, SE3", "P4", "registered without keys: the paths are numbers", 4)
def jaxlie_paths() -> bool:
    import jaxlie

    [(path, _)] = jax.tree_util.tree_leaves_with_path(jaxlie.SO3.identity())
    return "wxyz" not in str(path)


@row("jaxlie.SO2, SO3, SE2, SE3", "P7", "a method raises; of a quaternion of three elements", 4, "mended")
def jaxlie_methods() -> bool:
    import jaxlie

    return raises(jaxlie.SO3.identity().as_matrix)


@row(
    "jaxlie.SO3",
    "P9",
    "small steps of `multiply` show another slope than its gradient; of a quaternion of three elements",
    now="mended",
)
def jaxlie_multiply() -> bool:
    import jaxlie

    other, way = jaxlie.SO3.identity(), jnp.array([0.0, 1e-2, 0.0, 0.0])
    product = lambda wxyz: jaxlie.SO3(wxyz).multiply(other).wxyz.sum()
    start = jnp.array([1.0, 0.0, 0.0, 0.0])
    return abs(product(start + way) - product(start) - jax.grad(product)(start) @ way) > 1e-4


@row(
    "jaxlie.SE2, SE3", "P9", "some elements have no gradient, in the one method that was called", 2, "mended"
)
def jaxlie_elements() -> bool:
    import jaxlie

    slope = jax.grad(lambda one: (one @ jnp.array([2.0, 3.0])).sum())(jaxlie.SE2.identity())
    return bool((slope.unit_complex_xy == 0).any())


@row(
    "e3nn_jax.Irrep, MulIrrep, Irreps, IrrepsArray, SphericalSignal",
    "P3",
    "a subclass is no pytree: `jax.tree.leaves` gives the instance",
    5,
)
def e3nn_subclass() -> bool:
    import e3nn_jax

    one = type("Own", (e3nn_jax.IrrepsArray,), {})("1e", jnp.ones(3))
    return jax.tree.leaves(one)[0] is one


@row("e3nn_jax.IrrepsArray", "P3", "unflatten checks shapes: a map that changes them raises")
def e3nn_unflatten() -> bool:
    import e3nn_jax

    return raises(lambda: jax.tree.map(lambda x: x[..., :1], e3nn_jax.IrrepsArray("1e", jnp.ones(3))))


@row("e3nn_jax.IrrepsArray, SphericalSignal", "P4", "registered without keys: the paths are numbers", 2)
def e3nn_paths() -> bool:
    import e3nn_jax

    [(path, _)] = jax.tree_util.tree_leaves_with_path(e3nn_jax.IrrepsArray("1e", jnp.ones(3)))
    return "array" not in str(path)


@row(
    "e3nn_jax.Irrep",
    "P7",
    "`generators` gives an array of NumPy in 64 bits, where a `jax.Array` is announced",
)
def e3nn_generators() -> bool:
    import e3nn_jax

    found: Any = e3nn_jax.Irrep("1e").generators()
    return isinstance(found, np.ndarray) and found.dtype == np.float64


@row("e3nn_jax.Irreps", "P7", "`generators` of none raises, from inside of `jax.vmap`")
def e3nn_no_generators() -> bool:
    import e3nn_jax

    return raises(e3nn_jax.Irreps("").generators)


@row("e3nn_jax.Irreps", "P7", "`lmax` of none raises something else than what it says itself", now="mended")
def e3nn_lmax() -> bool:
    import e3nn_jax

    try:
        return bool(e3nn_jax.Irreps("").lmax)
    except ValueError as error:
        return "empty Irreps" not in str(error)


@row(
    "e3nn_jax.MulIrrep",
    "P1, P2, P5, P14",
    "arrays among its static values; it had been given some",
    now="mended",
)
def e3nn_static() -> bool:
    import e3nn_jax

    return raises(lambda: hash(e3nn_jax.MulIrrep(2, e3nn_jax.Irrep("1e"))))


@row(
    "e3nn_jax.MulIrrep",
    "P1",
    "`ir=None`, its default, raises; with a number for the first argument, which is then a pair",
    now="mended",
)
def e3nn_pair() -> bool:
    import e3nn_jax

    pair: Any = (2, e3nn_jax.Irrep("1e"))
    return raises(lambda: e3nn_jax.MulIrrep(pair))
