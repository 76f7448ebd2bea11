"""The legal values of what a spec and a project both may say."""

BACKENDS = ("cpu", "cuda", "rocm", "tpu")
"""The platforms for which jax compiles, by the names that `jax.devices` and `jax.export` take."""
LAWS = ("installed", "wheel")
"""Where the tests have the laws from: the environment, or a wheel beside them."""
SEVERITIES = ("fault", "cost", "advice")
"""Of what a law finds, the gravest first."""
NUMBERS = ("record", "check", "compare", "update", "off")
"""What a run of the tests does with recorded numbers, as `pytest --numbers` takes it."""
