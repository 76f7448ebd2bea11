"""Lengths of data that parts of a class cut, as a layer does that keeps the lowest modes."""

from collections.abc import Mapping

from scaffold.spec.construction.local_sizes import cutting_sizes, data_lengths
from scaffold.spec.construction.sizes import Sizes, lengthened, sizes
from scaffold.spec.model import ModuleSpec
from scaffold.suite.sizes.part_sizes import equal_dims, parts_of


def with_cut_lengths(spec: ModuleSpec, known: Mapping[str, ModuleSpec], sized: Sizes) -> dict[str, int]:
    """Return the sizes, with dims of calls alone longer than what parts cut them by.

    Sizes that the author sets stay.
    """
    every = dict(sized)
    for dim, least in _bounds_of_parts(spec, known, sized).items():
        every = every if dim in dict(spec.test.sizes) else lengthened(every, [dim], least)
    return every


def _bounds_of_parts(spec: ModuleSpec, known: Mapping[str, ModuleSpec], sized: Sizes) -> dict[str, int]:
    """Return for each dim of the call alone twice what parts cut it by, as a spectrum requires."""
    parts, free, bounds = parts_of(spec, known), data_lengths(spec).intersection(sized), dict[str, int]()
    for group in equal_dims(spec, parts) if free else ():
        least = max((_bound(parts[part], known, sized, dim) for part, dim in group if part), default=0)
        bounds |= {dim: least for part, dim in group if not part and dim in free and least}
    return bounds


def _bound(part: ModuleSpec, known: Mapping[str, ModuleSpec], sized: Sizes, dim: str) -> int:
    """Return the bound by a part and its own parts, or 0 if nothing cuts the dim.

    The part shares sizes with the class that holds it.
    """
    usual = sizes(part)
    shared = {**usual, **{name: sized[name] for name in usual if name in sized}}
    cuts = [2 * shared[name] for name in cutting_sizes(part) if name in shared and dim in data_lengths(part)]
    return max([*cuts, _bounds_of_parts(part, known, shared).get(dim, 0)])
