"""Classes of several fields, as people write them: what the tests need to know of them is read off their code."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import Callable, NamedTuple, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, data, module, param, static


"""

CLASSES = {
    "moments": """class Moments(Module):
    \"\"\"Running statistics of observations.\"\"\"
    count: Float[Array, ""] = data()
    mean: Float[Array, " d"] = data()
    m2: Float[Array, " d"] = data()
    @classmethod
    def empty(cls, d: int):
        return cls(jnp.zeros(()), jnp.zeros(d), jnp.zeros(d))
    def update(self, x: Float[Array, " d"]) -> Self:
        count = self.count + 1
        delta = x - self.mean
        mean = self.mean + delta / count
        m2 = self.m2 + delta * (x - mean)
        return eqx.tree_at(lambda s: (s.count, s.mean, s.m2), self, (count, mean, m2))
    @property
    def variance(self) -> Float[Array, " d"]:
        return self.m2 / jnp.maximum(self.count - 1, 1)
    def normalize(self, x: Float[Array, " d"], eps: float = 1e-6) -> Float[Array, " d"]:
        return (x - self.mean) / jnp.sqrt(self.variance + eps)
""",
    "convolution": """class Convolution(Module):
    \"\"\"Graph convolution.\"\"\"
    weight: Float[Array, "out_size in_size"] = param("glorot_normal")
    bias: Float[Array, " out_size"] | None = param("zeros", optional="use_bias")
    aggr: str = static(default="sum")
    def __call__(self, nodes: Float[Array, "n in_size"], senders: Int[Array, " e"], receivers: Int[Array, " e"]) -> Float[Array, "n out_size"]:
        h = nodes @ self.weight.T
        out = jax.ops.segment_sum(h[senders], receivers, num_segments=nodes.shape[0])
        if self.aggr == "mean":
            deg = jax.ops.segment_sum(jnp.ones(senders.shape, h.dtype), receivers, num_segments=nodes.shape[0])
            out = out / jnp.maximum(deg, 1)[:, None]
        if self.bias is not None:
            out = out + self.bias
        return out
""",
    "sampler": """class Sampler(Module):
    \"\"\"HMC.\"\"\"
    log_density: Callable = static()
    step_size: float = static(default=0.1)
    n_leapfrog: int = static(default=3)
    def leapfrog(self, q: Float[Array, " d"], p: Float[Array, " d"]):
        grad = jax.grad(self.log_density)
        p = p + 0.5 * self.step_size * grad(q)
        for _ in range(self.n_leapfrog - 1):
            q = q + self.step_size * p
            p = p + self.step_size * grad(q)
        q = q + self.step_size * p
        p = p + 0.5 * self.step_size * grad(q)
        return q, -p
    def __call__(self, q: Float[Array, " d"], key):
        k1, k2 = jax.random.split(key)
        p = jax.random.normal(k1, q.shape, q.dtype)
        q2, p2 = self.leapfrog(q, p)
        h = lambda q, p: -self.log_density(q) + 0.5 * jnp.sum(p**2)
        accept = jnp.log(jax.random.uniform(k2, (), q.dtype)) < h(q, p) - h(q2, p2)
        return jnp.where(accept, q2, q), accept
""",
    "vision": """class Vision(Module):
    layers: eqx.nn.Sequential = module()
    head: eqx.nn.Linear = module()
    def __init__(self, channels: int, classes: int, *, key):
        k1, k2, k3 = jax.random.split(key, 3)
        self.layers = eqx.nn.Sequential([
            eqx.nn.Conv2d(channels, 4, 3, padding=1, key=k1),
            eqx.nn.Lambda(jax.nn.relu),
            eqx.nn.MaxPool2d(2, 2),
            eqx.nn.Conv2d(4, 8, 3, padding=1, key=k2),
            eqx.nn.Lambda(jax.nn.relu),
            eqx.nn.AdaptiveAvgPool2d(1),
        ])
        self.head = eqx.nn.Linear(8, classes, key=k3)
    def __call__(self, image: Float[Array, "channels height width"]) -> Float[Array, " classes"]:
        return self.head(self.layers(image).reshape(-1))
""",
    "averaged": """class Averaged(Module):
    \"\"\"Dropout and batch norm.\"\"\"
    conv: eqx.nn.Linear = module()
    norm: eqx.nn.BatchNorm = module()
    drop: eqx.nn.Dropout = module()
    def __init__(self, size: int, *, key):
        self.conv = eqx.nn.Linear(size, size, key=key)
        self.norm = eqx.nn.BatchNorm(size, axis_name="batch", mode="batch")
        self.drop = eqx.nn.Dropout(0.5)
    def __call__(self, x: Float[Array, " size"], state: eqx.nn.State, *, key=None):
        x = self.conv(x)
        x, state = self.norm(x, state)
        return self.drop(x, key=key), state
""",
    "language": """class Language(Module):
    embedding: Float[Array, "vocab dim"] = param("normal(0.02)")
    pos: Float[Array, "ctx dim"] = param("normal(0.02)")
    head: Float[Array, "vocab dim"] | None = param("normal(0.02)", optional="untied")
    def __call__(self, tokens: Int[Array, " t"]) -> Float[Array, "t vocab"]:
        h = self.embedding[tokens] + self.pos[: tokens.shape[0]]
        h = (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True) + 1e-5)
        w = self.embedding if self.head is None else self.head
        return h @ w.T
""",
    "attention": """class Attention(Module):
    \"\"\"Attention.\"\"\"
    wq: eqx.nn.Linear = module()
    wk: eqx.nn.Linear = module()
    wv: eqx.nn.Linear = module()
    wo: eqx.nn.Linear = module()
    n_heads: int = static()
    def __init__(self, dim, n_heads, *, key):
        ks = jr.split(key, 4)
        self.wq, self.wk, self.wv, self.wo = [eqx.nn.Linear(dim, dim, use_bias=False, key=k) for k in ks]
        self.n_heads = n_heads
    def __call__(self, x: Float[Array, "t dim"], mask: Bool[Array, "t t"] | None = None) -> Float[Array, "t dim"]:
        t, d = x.shape
        q, k, v = (jax.vmap(w)(x).reshape(t, self.n_heads, d // self.n_heads) for w in (self.wq, self.wk, self.wv))
        logits = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(d // self.n_heads)
        if mask is not None:
            logits = jnp.where(mask[None], logits, -jnp.inf)
        a = jax.nn.softmax(logits, -1)
        return jax.vmap(self.wo)(jnp.einsum("hqk,khd->qhd", a, v).reshape(t, d))
""",
    "controller": """class Controller(Module):
    \"\"\"PID controller with state.\"\"\"
    kp: Float[Array, ""] = param("ones")
    ki: Float[Array, ""] = param("zeros")
    kd: Float[Array, ""] = param("zeros")
    class State(NamedTuple):
        integral: Array
        last: Array
    def init(self) -> "Controller.State":
        return Controller.State(jnp.zeros_like(self.kp), jnp.zeros_like(self.kp))
    def __call__(self, state, error: Float[Array, ""], dt: float = 0.1):
        integral = state.integral + error * dt
        deriv = (error - state.last) / dt
        u = self.kp * error + self.ki * integral + self.kd * deriv
        return Controller.State(integral, error), u
""",
}

SKELETONS = {name: HEAD + text for name, text in CLASSES.items()}

QUICK = ("moments",)


def test_they_are_accepted(tmp_path: Path) -> None:
    said = generated(tmp_path, SKELETONS)
    assert (
        "not tested" not in said and "not tried: __call__ (no example for state)" in said
    )  # of the controller
    tests = {name: suite_text(tmp_path, name) for name in CLASSES}
    assert "out_axes=(0, None)," in tests["averaged"] and 'axis_name="batch",' in tests["averaged"]
    assert '"log_density": jax.nn.logsumexp' in tests["sampler"]
    assert "positive=True" in tests["moments"]
    assert '"dim": 6,' in tests["attention"] and '"n_heads": 2,' in tests["attention"]
    assert "from Controller" not in (tmp_path / "nets/controller.py").read_text("utf-8")


@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(CLASSES), marks=pytest.mark.slow)])
def test_they_pass_their_tests(tmp_path: Path, names: tuple[str, ...]) -> None:
    generated(tmp_path, {name: SKELETONS[name] for name in names})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 50 * len(names)


POOL = """class Pool(Module):
    score: eqx.nn.Linear

    def __init__(self, in_size: int, *, key: PRNGKeyArray):
        self.score = eqx.nn.Linear(in_size, "scalar", key=key)

    def __call__(
        self, nodes: Float[Array, "nodes in_size"], senders: Int[Array, " edges"], receivers: Int[Array, " edges"]
    ) -> Float[Array, " nodes"]:
        count = nodes.shape[0]
        s = 3 * jax.vmap(self.score)(nodes)[senders]
        top = jax.ops.segment_max(s, receivers, count)
        w = jnp.exp(s - jax.lax.stop_gradient(top)[receivers])
        total = jax.ops.segment_sum(w, receivers, count)
        return jax.ops.segment_sum(w / (total[receivers] + 1e-9) * s, receivers, count)
"""

ENSEMBLE = """class Ensemble(Module):
    weight: Float[Array, " n"] = param()
    num: int = static()
    subset: int = static(2)

    def __init__(self, n: int, num: int = 5, subset: int = 2):
        if subset > num:
            raise ValueError(f"subset={subset} is larger than num={num}")
        self.weight = jnp.ones(n)
        self.num = num
        self.subset = subset

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, ""]:
        return self.subset * jnp.sum(self.weight * x) / self.num
"""


@pytest.mark.slow  # a run of its own
@pytest.mark.parametrize(("name", "text"), [("pool", POOL), ("ensemble", ENSEMBLE)])
def test_indices_stay_within_what_they_index_and_the_author_s_own_check_comes_first(
    name: str, text: str, tmp_path: Path
) -> None:
    head = "import equinox as eqx\nimport jax\nimport jax.numpy as jnp\nfrom jaxtyping import Array, Float, Int, PRNGKeyArray\n"
    generated(tmp_path, {name: f"{head}from scaffold.skeleton import Module, param, static\n\n\n{text}"})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80
