"""The invariants that `[test]` may name, and the rules for them."""

import re
from collections.abc import Iterator

from scaffold.errors import Fault, suggestion
from scaffold.spec.model import ModuleSpec

OF_OUTPUTS = ("mean 0", "variance 1", "sums to 1", "length 1", "not negative", "symmetric", "orthogonal")
TRANSFORMATIONS = ("shift", "scale", "permutation")
UNDER = tuple(f"{how} under {what}" for how in ("invariant", "equivariant") for what in TRANSFORMATIONS)
OF_CALLS = (*UNDER, "linear", "mean over keys kept")
INVARIANTS = (*OF_OUTPUTS, *OF_CALLS)
"""As `pytree_laws.invariants` has them; most may be followed by `along AXIS`."""
ALONG = (*OF_OUTPUTS[:4], *(name for name in UNDER if name.endswith("permutation")))
_ALONG = r"(.+) along -?\d+"


def invariant_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Names of no invariant, and axes where there can be none."""
    place = f"{spec.where}: test.invariants"
    for said in spec.test.invariants:
        found = re.fullmatch(_ALONG, said)
        name = found[1] if found else said
        if name not in INVARIANTS:
            fix = suggestion(name, INVARIANTS, "say it in `[[test.holds]]`")
            yield Fault(place, f"`{said}` is no known invariant", fix, INVARIANTS)
        elif found and name not in ALONG:
            yield Fault(place, f"`{name}` is along no axis", f"write `{name}`", ALONG)
        elif spec.test.invariants.count(said) > 1:
            yield Fault(place, f"`{said}` is there twice", "remove one")
    if spec.test.invariants and spec.call is None:
        yield Fault(place, "there is no call that could have them", "remove it, or write `[call]`")
