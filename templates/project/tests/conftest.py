"""Options and fixtures of the tests, which run with strict promotion on one backend."""

import os
import zlib

import jax
import pytest
from jaxtyping import PRNGKeyArray

BACKENDS = ("cpu", "cuda", "rocm", "tpu")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=BACKENDS,
        default=os.environ.get("JAX_PLATFORMS") or "cpu",
        help="platform to run on; it is an error if it is not there",
    )
    parser.addoption(
        "--seed", type=int, default=0, help="where the fixture getkey begins"
    )


def pytest_configure(config: pytest.Config) -> None:
    backend = config.option.backend
    os.environ["PYTREE_LAWS_BACKEND"] = backend
    jax.config.update("jax_platforms", backend)
    jax.config.update("jax_numpy_dtype_promotion", "strict")
    jax.config.update("jax_numpy_rank_promotion", "raise")
    try:
        jax.devices()
    except (RuntimeError, AssertionError) as error:
        raise pytest.UsageError(
            f"the backend {backend!r} is not there: {error!r}; "
            "install its extra on a machine that has it, or leave --backend out"
        ) from error


def pytest_report_header(config: pytest.Config) -> str:
    return f"jax {jax.__version__}, {jax.devices()[0]}, --seed={config.option.seed}"


class GetKey:
    """A new key at each call; the same keys again for the same test and seed."""

    def __init__(self, seed: int, test: str) -> None:
        self.seed = seed
        self.calls = 0
        self._key = jax.random.fold_in(jax.random.key(seed), zlib.crc32(test.encode()))

    def __call__(self) -> PRNGKeyArray:
        self.calls += 1
        return jax.random.fold_in(self._key, self.calls)

    def __repr__(self) -> str:
        return f"GetKey(seed={self.seed}, calls={self.calls})"


@pytest.fixture
def getkey(request: pytest.FixtureRequest) -> GetKey:
    """Keys for one test; `--seed` gives others."""
    return GetKey(request.config.option.seed, request.node.nodeid)
