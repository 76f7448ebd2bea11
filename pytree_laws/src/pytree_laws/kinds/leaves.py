"""Suites of pytrees: declared leaves, and what the laws ask of them."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..declare.leaf_spec import Leaf
from ..declare.render import render_leaves
from ..discover.inference import inferred_leaves
from ..inspect.arrays import host, is_floating, is_inexact, restore_like
from ..inspect.files import has_files, path_for
from ..inspect.trees import arrays_of, look_up, map_arrays, named_arrays, named_leaves
from ..values.optimisation import trained_names
from .suite import Suite


class LeafSuite(Suite):
    """A suite that declares leaves, and specs that select some of them."""

    leaves: ClassVar[Sequence[Leaf] | None] = None  # None: those of an instance
    undecayed: ClassVar[Sequence[str]] = ()  # trained, and left alone by weight decay
    decay_mask: ClassVar[Callable[..., Any] | None] = None  # what optax is given as a mask
    stacked: ClassVar[Sequence[str]] = ()  # paths with an axis of layers first
    filters: ClassVar[Mapping[str, Sequence[str]]] = {}  # spec method -> selected paths
    tuples: ClassVar[Sequence[str]] = ()  # paths where a tuple is held, and no list

    def save(self, instance: Any, path: Any) -> None:
        """Save by the class's own `save`, or by leaf path if the class lacks a matching `save` and `load`."""
        if has_files(instance):
            return instance.save(path_for(instance.save, path))
        hosts: dict[str, Any] = {n: host(v) for n, v in named_arrays(instance)}
        np.savez(path, **hosts)

    def load(self, path: Any, skeleton: Any) -> Any:
        """Load by the class's own `load`, or by leaf path into the skeleton."""
        if has_files(skeleton):
            load: Any = type(skeleton).load
            return load(path_for(load, path), skeleton)
        names = [name for name, _ in named_arrays(skeleton)]
        with np.load(path) as file:
            saved = iter([file[name] for name in names])
        return map_arrays(lambda like: restore_like(next(saved), like), skeleton)

    def manifest(self) -> Sequence[Leaf]:
        """Return the leaves as declared, or as inferred from instances."""
        return inferred_leaves(self) if self.leaves is None else self.leaves

    def declares_arrays(self) -> bool:
        return self.leaves is not None

    def written_manifest(self) -> str:
        return render_leaves(inferred_leaves(self), self.leaves or ())

    def is_frozen(self, path: str) -> bool:
        leaf = self.declared(path)
        frozen = False if leaf is None else leaf.frozen
        if isinstance(frozen, str):
            return bool(look_up(self.cached_instance(), frozen))
        return frozen

    def may_be_absent(self, declared: Any) -> bool:
        with contextlib.suppress(AttributeError, KeyError, IndexError):
            part = look_up(self.cached_instance(), declared.path)
            if declared.role == "module" and part is not None and not arrays_of(part):
                return True  # a sub-module without arrays, as `eqx.nn.Identity`
        return super().may_be_absent(declared)

    def expected_to_train(self, instance: Any) -> set[str]:
        """Return the paths declared as trained, and those that sub-modules train."""
        roles = {name: self.role(name) for name, v in named_leaves(instance) if is_inexact(v)}
        wanted = {name for name, role in roles.items() if role in ("param", "tree")}
        wanted = {name for name in wanted if not self.is_frozen(name)}
        return wanted | self.trained_below(instance, lambda leaf: not self.is_frozen(leaf.path))

    def trained_below(self, instance: Any, chosen: Callable[[Leaf], bool]) -> set[str]:
        """Return the paths that the chosen sub-modules train, as each sub-module decides."""
        result: set[str] = set()
        for leaf in self.manifest():
            if leaf.role == "module" and chosen(leaf):
                with contextlib.suppress(AttributeError, KeyError, IndexError):
                    inner = trained_names(look_up(instance, leaf.path))
                    result |= {f"{leaf.path}.{name}".rstrip(".") for name in inner}
        return result

    def flowing(self, instance: Any) -> set[str]:
        """Return the paths that gradients flow through: of a sub-module, the paths that it trains."""
        floats = [name for name, value in named_leaves(instance) if is_floating(value)]
        own_paths = {name for name in floats if self.role(name) in ("param", "data", "tree")}
        return own_paths | (self.trained_below(instance, lambda leaf: True) & set(floats))
