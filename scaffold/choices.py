"""Legal values of settings that both a spec and a project may have."""

BACKENDS = ("cpu", "cuda", "rocm", "tpu")
"""Platforms for which jax compiles, by the names that `jax.devices` and `jax.export` take."""
LAWS = ("installed", "wheel")
"""Sources of the laws for the tests: the environment, or a wheel beside the tests."""
SEVERITIES = ("fault", "cost", "advice")
"""Severities of a finding, the gravest first."""
NUMBERS = ("record", "check", "compare", "update", "off")
"""Modes of a test run for recorded numbers, as `pytest --numbers` takes them."""
