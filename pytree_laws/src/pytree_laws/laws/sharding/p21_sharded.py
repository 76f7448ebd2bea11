"""P21: on several devices a class computes what it computes on one."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding

from ...discover.inference import fits
from ...engine.applicability import Condition, need, not_applicable
from ...engine.collection import option_of
from ...engine.registry import Checks
from ...inspect.arrays import is_key, raw
from ...inspect.trees import arrays_of
from ...kinds.suite import Suite
from ...report import ANY_ERROR, Law, check, doing
from ...session import once_per_session
from ...sharding.meshes import BATCH, Placed, collectives, indivisible, layouts, mesh_of, placed
from ...sharding.specs import Spec, axes_in, blocked
from ...snapshot.files import record_of
from ...snapshot.format import differences, entries, parse_record, render_sections, section_of
from ...snapshot.mode import UPDATE, how_to_approve, mode_of
from ...values.closeness import check_close, farthest
from .p20_sharding import ASKS, named_example, sharding_example, specs_of, without_trailing

LAW = Law(
    number="P21",
    since="0.2",
    name="sharded equals single",
    statement="On every mesh of the devices of `--mesh` that divides its dims, with explicit axes and with those that the compiler chooses, the class gives the values, gradients, training step and draws of one device; no array with a mesh axis is replicated, and a step may take the memory of what it replaces.",
    protects="Results that depend on the number of devices, such as a mean over one shard without `lax.pmean`, or a PRNG key into which each device folds its own index.",
    mistake="Something is computed from a part of an array, such as an average or a key that each device makes its own, or an array is replicated on the way.",
    fix="Compute on whole arrays and let jax divide the work; keep axis names and device numbers out of the class.",
    rests_on=("test_p20_the_call_shards",),
)
CHECKS = Checks(LAW)
HEAD = """\
# How often a step of the classes of test_{tests}.py moves data between devices, which P21 holds them to.
# `pytest --mesh {count} --numbers=update` writes it anew; written on {count} devices of kind "{kind}".
"""
KINDS = {"explicit": AxisType.Explicit, "auto": AxisType.Auto}
MESH = Condition("no devices are asked for", lambda suite: bool(option_of(suite, "mesh")), "--mesh")


@CHECKS.register(ASKS, MESH)
@pytest.mark.parametrize("kind", KINDS)
def test_p21_a_step_is_that_of_one_device(subject: Suite, kind: str) -> None:
    wanted = single(subject)
    apart = [(0.0, "outputs", "one device")]
    for name, placement in on_meshes(subject, kind):
        got = given_by(name, placement)
        for part, values in wanted.items():
            message = f"{part} on {name} are {{}}, on one device {{}}"
            check_close(part, message, on_host(got[part]), values, slack=64)
            apart.append((farthest(on_host(got[part]), values), part, name))
        for path, before, now in zip(sharding_example(subject).names, placement.own, got["new leaves"]):
            spec = without_trailing(tuple(before.sharding.spec))
            shared = bool(spec) and now.sharding.is_fully_replicated
            check(not shared, path, f"after a step on {name} each device holds the whole")
    size, part, name = max(apart)
    suite = type(subject).__name__
    subject.summary_line = f"{suite} differs from one device by {size:.1e} at most: {part} on {name}"


@CHECKS.register(ASKS, MESH)
def test_p21_draws_are_those_of_one_device(subject: Suite) -> None:
    build, values = subject.traceable_build()
    need(any(is_key(value) and value.shape == () for value in values), "the constructor takes no key")

    def arrays(values: Sequence[Any]) -> Any:
        return arrays_of(subject.to_tree(build(values))[0])

    wanted = on_host(arrays(values))
    for name, placement in on_meshes(subject, "explicit"):
        specs = [leaf.sharding.spec for leaf in placement.own]
        places = [NamedSharding(placement.mesh, spec) for spec in specs]
        with jax.set_mesh(placement.mesh), doing("constructor", f"building it on {name}"):
            made = jax.jit(arrays, out_shardings=places)(values)
        for path, drawn, other in zip(sharding_example(subject).names, made, wanted):
            message = f"built on {name} it holds {{}}, on one device {{}}"
            check_close(path, message, on_host(drawn), other, slack=4)


@CHECKS.register(ASKS, MESH)
def test_p21_a_step_may_take_the_memory_of_what_it_replaces(subject: Suite) -> None:
    name, placement = next(on_meshes(subject, "explicit"))

    def step(arrays: Sequence[Any], batch: Sequence[Any]) -> Any:
        return placement.step(arrays, batch)["new leaves"]

    with jax.set_mesh(placement.mesh), doing("call", f"a step with donation on {name}"):
        after = jax.jit(step, donate_argnums=0)(placement.own, placement.batch)
    for path, before, now in zip(sharding_example(subject).names, placement.own, after):
        is_taken = before.is_deleted() or before is now
        check(is_taken, path, f"on {name} a donated array is kept beside the new one")


def on_meshes(subject: Suite, kind: str) -> Iterator[tuple[str, Placed]]:
    """Yield the example on each mesh that divides its dims.

    If no mesh does, raise a fault that names the dims.
    """
    devices = int(option_of(subject, "mesh"))
    if len(jax.devices()) < devices:
        pytest.skip(f"there are {len(jax.devices())} devices, and --mesh asks for {devices}")
    example = sharding_example(subject)
    specs = specs_of(subject, example)
    axes = sorted({axis for spec in specs for part in spec for axis in axes_in(part)})
    faults: list[str] = []
    divides = False
    for sizes in layouts(axes, devices) if axes else ():
        indivisible_dims = indivisible(example, specs, sizes)
        faults += indivisible_dims
        if not indivisible_dims:
            divides = True
            mesh, trained = mesh_of(sizes, KINDS[kind]), subject.trained_names()
            name = " × ".join(f"{n} `{axis}`" for axis, n in sizes.items()) + f" ({kind} axes)"
            yield name, placed(example, batch_of(subject), specs, trained, mesh)
    if axes and not divides:
        message = f"no mesh of {devices} devices divides it: {'; '.join(dict.fromkeys(faults))}"
        check(False, "sharding", message, "sizes in the example that are multiples")


def given_by(name: str, placement: Placed) -> Any:
    """Run a step on a mesh."""
    try:
        return placement.run()
    except ANY_ERROR as error:
        check(False, "call", f"it does not run on {name}: {blocked(error)}")


@CHECKS.register(ASKS, MESH)
def test_p21_collectives_are_those_of_the_record(subject: Suite) -> None:
    numbers, devices = record_of(subject), option_of(subject, "mesh")  # beside which lies a file for so many
    file = numbers and numbers.with_name(f"{numbers.stem}.{devices}_devices.txt")
    asked = mode_of(subject, file) == UPDATE
    if file is None or not (asked or file.is_file()):
        not_applicable("no collectives are recorded")
    record = parse_record(file.read_text(encoding="utf-8")) if file.is_file() else {}
    section = section_of(type(subject), "collectives of a step")
    counts = {
        f"{kind} on {name}": np.int64(count)
        for name, placement in on_meshes(subject, "explicit")
        for kind, count in collectives(placement.text()).items()
    }
    now = entries(counts)
    if asked:
        file.parent.mkdir(exist_ok=True)
        tests, kind = file.stem.partition(".")[0], jax.devices()[0].device_kind
        head = HEAD.format(tests=tests, count=devices, kind=kind)
        text = render_sections(dict(sorted({**record, section: now}.items())), head)
        file.write_text(text, encoding="utf-8", newline="\n")
        return
    for name, difference in differences(record.get(section, {}), now, None):
        check(False, "call", f"{name}: {difference}", how_to_approve(subject))


@once_per_session
def batch_of(suite: Any) -> tuple[Any, ...]:
    """Return the arguments of as many calls as there are devices."""
    devices = int(option_of(suite, "mesh"))
    seeds = [seed for seed in range(4 * devices) if fits(suite, seed)][:devices]
    return tuple(suite.arguments(seed) for seed in seeds)


@once_per_session
def single(suite: Any) -> dict[str, Any]:
    """Run a step on one device, and return its results on the host."""
    example = named_example(suite)
    bare: list[Spec] = [(None,) * array.ndim for array in example.arrays()]
    mesh = mesh_of({BATCH: 1}, AxisType.Auto)
    result = placed(example, batch_of(suite), bare, suite.trained_names(), mesh).run()
    return {part: on_host(values) for part, values in result.items()}


def on_host(tree: Any) -> Any:
    """Copy the arrays of a tree to the host, with keys as their data."""
    return jax.tree.map(lambda leaf: np.asarray(jax.device_get(raw(leaf))), tree)
