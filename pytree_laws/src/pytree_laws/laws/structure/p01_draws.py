"""P1, of what the constructor draws: with the declared spread, and from its key."""

import inspect
import math

import numpy as np

from ...engine.applicability import need, of_leaves
from ...engine.registry import Checks
from ...inspect.arrays import host
from ...inspect.references import reachable
from ...kinds.suite import Suite
from ...report import ADVICE, FAULT, check
from ...trace.jaxprs import constant_draws, without_dead

CHECKS = Checks()


@CHECKS.register(
    of_leaves("no standard deviations are declared", lambda leaf: leaf.std, "std"),
    rests_on=("test_p01_draws_from_its_key",),
)
def test_p01_draws_have_the_declared_spread(subject: Suite) -> None:
    declared = {leaf.path: leaf.std for leaf in subject.manifest() if leaf.std}
    need(declared and subject.takes_keys(), "no standard deviations are declared")
    drawn_by_path = subject.drawn_by_path()
    for path in [path for path in declared if path in drawn_by_path and not subject.is_empty(path)]:
        values, std = host(drawn_by_path[path]).astype(np.complex128), declared[path]
        spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
        message = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
        slack = max(0.02, 4 / math.sqrt(2 * values.size))
        hint = f"another initialiser, or one with fan-in and fan-out exchanged; if it is right as it is now, declare `std={spread:.3g}`"
        check(abs(spread / std - 1) < slack, path, message, hint)
        mean = values.mean()
        centred = abs(mean) / std < 5 / math.sqrt(values.size)
        text = f"{mean.real:.3g}" if mean.imag == 0 else f"{mean:.3g}"
        hint = "a draw that is not around 0, as `jax.random.uniform` gives it"
        check(centred, path, f"its mean is {text}, and not 0", hint)


@CHECKS.register(rests_on=("test_p01_draws_from_its_key",))
def test_p01_every_draw_uses_the_key(subject: Suite) -> None:
    need(subject.takes_keys(), "the constructor takes no key")
    jaxpr = without_dead(subject.traced_build().jaxpr)  # a layer may draw what is replaced at once
    wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
    message = f"{len(wrong)} of its draws do not depend on the key that it is given"
    hint = "a constant key, as `jax.random.key(0)` or `nnx.Rngs(0)`, for one of the fields"
    classes = {type(part) for _, part in reachable(subject.cached_instance(), "")} if wrong else set[type]()
    severity = ADVICE if any(map(is_seeded_besides, classes)) else FAULT
    check(not wrong, "build", message, hint, severity=severity)


def is_seeded_besides(cls: type) -> bool:
    """Whether the constructor takes a seed beside its key, as `seed: int = 42`: what it draws from that is the same on purpose."""
    maker = inspect.getattr_static(cls, "__init__")
    return inspect.isfunction(maker) and any("seed" in name for name in inspect.signature(maker).parameters)
