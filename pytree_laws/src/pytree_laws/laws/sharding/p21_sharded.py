"""P21: on several devices a class computes what it does on one."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding

from ...discover.inference import fits
from ...engine.applicability import Condition, applies_where, not_applicable
from ...engine.collection import option_of
from ...engine.runner import guard
from ...inspect.arrays import is_key, raw
from ...inspect.trees import arrays_of
from ...report import ANY_ERROR, Law, check, doing
from ...session import once_per_session
from ...sharding.meshes import BATCH, Placed, collectives, indivisible, layouts, mesh_of, placed
from ...sharding.specs import Example, Spec, axes_in, blocked
from ...snapshot.format import differences, entries, file_of, parse_record, render_record, section_of
from ...snapshot.mode import UPDATE, mode_of
from ...values.closeness import check_close, farthest
from .p20_sharding import APPROVE, ASKS, Sharding, named_example, without_trailing

LAW = Law(
    number="P21",
    since="0.2",
    name="sharded equals single",
    statement="On every mesh of the devices of `--mesh` that divides its dims, with explicit axes and with those that the compiler chooses, the class gives the values, gradients, training step and draws of one device; no array with a mesh axis is replicated, and a step may take the memory of what it replaces.",
    protects="Results that depend on the number of devices: an average over one shard, or a key that each device draws for itself.",
    mistake="Something is computed from a part of an array, such as an average or a key that each device makes its own, or an array is replicated on the way.",
    fix="Compute on whole arrays and let jax divide the work; keep axis names and device numbers out of the class.",
    rests_on=("test_p20_the_call_shards",),
)
KINDS = {"explicit": AxisType.Explicit, "auto": AxisType.Auto}
MESH = Condition("no devices are asked for", lambda suite: bool(option_of(suite, "mesh")), "--mesh")


@guard
class Sharded(Sharding):
    """P21."""

    @applies_where(ASKS, MESH)
    @pytest.mark.parametrize("kind", KINDS)
    def test_p21_a_step_is_that_of_one_device(self, kind: str) -> None:
        wanted = single(self)
        apart = [(0.0, "outputs", "one device")]
        for name, own in self.on_meshes(kind):
            got = self.given_by(name, own)
            for part, values in wanted.items():
                told = f"{part} on {name} are {{}}, on one device {{}}"
                check_close(part, told, on_host(got[part]), values, slack=64)
                apart.append((farthest(on_host(got[part]), values), part, name))
            self.check_places(name, own, got["new leaves"])
        size, part, name = max(apart)
        suite = type(self).__name__
        self.summary_line = f"{suite} differs from one device by {size:.1e} at most: {part} on {name}"

    @applies_where(ASKS, MESH)
    def test_p21_draws_are_those_of_one_device(self) -> None:
        suite: Any = self
        build, values = suite.traceable_build()
        if not any(is_key(value) and value.shape == () for value in values):
            not_applicable("the constructor takes no key")

        def arrays(values: Sequence[Any]) -> Any:
            return arrays_of(suite.to_tree(build(values))[0])

        wanted = on_host(arrays(values))
        for name, own in self.on_meshes("explicit"):
            specs = [one.sharding.spec for one in own.own]
            places = [NamedSharding(own.mesh, spec) for spec in specs]
            with jax.set_mesh(own.mesh), doing("constructor", f"building it on {name}"):
                made = jax.jit(arrays, out_shardings=places)(values)
            for path, one, other in zip(self.sharding_example().names, made, wanted):
                told = f"built on {name} it holds {{}}, on one device {{}}"
                check_close(path, told, on_host(one), other, slack=4)

    @applies_where(ASKS, MESH)
    def test_p21_a_step_may_take_the_memory_of_what_it_replaces(self) -> None:
        name, own = next(self.on_meshes("explicit"))

        def step(arrays: Sequence[Any], batch: Sequence[Any]) -> Any:
            return own.step(arrays, batch)["new leaves"]

        with jax.set_mesh(own.mesh), doing("call", f"a step with donation on {name}"):
            after = jax.jit(step, donate_argnums=0)(own.own, own.batch)
        for path, before, now in zip(self.sharding_example().names, own.own, after):
            is_taken = before.is_deleted() or before is now
            check(is_taken, path, f"on {name} a donated array is kept beside the new one")

    def on_meshes(self, kind: str) -> Iterator[tuple[str, Placed]]:
        """The example on each mesh that divides its dims; a fault that names the dims where there is none."""
        devices = int(option_of(self, "mesh"))
        if len(jax.devices()) < devices:
            pytest.skip(f"there are {len(jax.devices())} devices, and --mesh asks for {devices}")
        example = self.sharding_example()
        specs = self.specs_of(example)
        axes = sorted({axis for spec in specs for part in spec for axis in axes_in(part)})
        faults: list[str] = []
        divides = False
        for sizes in layouts(axes, devices) if axes else ():
            found = indivisible(example, specs, sizes)
            faults += found
            if not found:
                divides = True
                yield name_of(sizes, kind), self.on_mesh(example, specs, sizes, kind)
        if axes and not divides:
            told = f"no mesh of {devices} devices divides it: {'; '.join(dict.fromkeys(faults))}"
            check(False, "sharding", told, "sizes in the example that are multiples")

    def on_mesh(self, example: Example, specs: Sequence[Spec], sizes: Mapping[str, int], kind: str) -> Placed:
        mesh = mesh_of(sizes, KINDS[kind])
        return placed(example, batch_of(self), specs, self.trained_names(), mesh)

    def given_by(self, name: str, own: Placed) -> Any:
        """What a step gives on a mesh."""
        try:
            return own.run()
        except ANY_ERROR as error:
            check(False, "call", f"it does not run on {name}: {blocked(error)}")

    def check_places(self, name: str, own: Placed, after: Sequence[Any]) -> None:
        """Holds the new arrays to the places of the old ones."""
        example = self.sharding_example()
        for path, before, now in zip(example.names, own.own, after):
            spec = without_trailing(tuple(before.sharding.spec))
            shared = bool(spec) and now.sharding.is_fully_replicated
            check(not shared, path, f"after a step on {name} each device holds the whole")

    @applies_where(ASKS, MESH)
    def test_p21_collectives_are_those_of_the_record(self) -> None:
        file = self.record_of_collectives()
        asked = mode_of(self, file) == UPDATE
        if file is None or not (asked or file.is_file()):
            not_applicable("no collectives are recorded")
        record = parse_record(file.read_text(encoding="utf-8")) if file.is_file() else {}
        section = section_of(type(self), "collectives of a step")
        now = entries(self.collectives())
        if asked:
            file.parent.mkdir(exist_ok=True)
            text = render_record(dict(sorted({**record, section: now}.items())), file.stem)
            file.write_text(text, encoding="utf-8", newline="\n")
            return
        for name, told in differences(record.get(section, {}), now, None):
            check(False, "call", f"{name}: {told}", APPROVE)

    def collectives(self) -> dict[str, Any]:
        """By mesh and kind, how often a step moves data between devices."""
        return {
            f"{kind} on {name}": np.int64(count)
            for name, own in self.on_meshes("explicit")
            for kind, count in collectives(own.text()).items()
        }

    def record_of_collectives(self) -> Path | None:
        """The file beside the record of numbers, for so many devices."""
        try:
            file = file_of(Path(inspect.getfile(type(self))))
        except (TypeError, OSError):
            return None
        return file.with_name(f"{file.stem}.{option_of(self, 'mesh')}_devices.txt")


def name_of(sizes: Mapping[str, int], kind: str) -> str:
    return " × ".join(f"{n} `{axis}`" for axis, n in sizes.items()) + f" ({kind} axes)"


@once_per_session
def batch_of(suite: Any) -> tuple[Any, ...]:
    """The arguments of as many calls as there are devices."""
    devices = int(option_of(suite, "mesh"))
    seeds = [seed for seed in range(4 * devices) if fits(suite, seed)][:devices]
    return tuple(suite.arguments(seed) for seed in seeds)


@once_per_session
def single(suite: Any) -> dict[str, Any]:
    """What a step gives on one device."""
    example = named_example(suite)
    arrays = example.arrays()
    bare: list[Spec] = [(None,) * one.ndim for one in arrays]
    mesh = mesh_of({BATCH: 1}, AxisType.Auto)
    found = placed(example, batch_of(suite), bare, suite.trained_names(), mesh).run()
    return {part: on_host(values) for part, values in found.items()}


def on_host(tree: Any) -> Any:
    """The arrays of a tree as they are on the host, keys as their data."""
    return jax.tree.map(lambda one: np.asarray(jax.device_get(raw(one))), tree)
