"""P18 for NNX modules: where they run, and for what else they compile."""

from ...report import Law

LAW = Law(
    number="P18",
    name="backend",
    statement="The tests run on the platform that was asked for and on no other; the module commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
    mistake="jax fell back to the CPU, an array was put on a device by name, or the call uses a primitive that a platform lacks.",
    fix="Let the caller place the state (no `device_put` in the module), and use primitives that every target has.",
)
