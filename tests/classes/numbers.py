"""The numbers of each class beside those of plain jax, NumPy, or the layer that it stands for. Copied to where the classes are."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
import pytest
from affine_coupling import AffineCoupling
from camera import Camera
from kalman_filter import KalmanFilter
from kernels import RBF, ProductKernel, SumKernel
from key_cache import KeyCache
from lora_linear import LoRALinear
from replay_buffer import ReplayBuffer
from rotary_attention import RotaryAttention
from so3 import SO3

KEY = jax.random.key(0)
POINT = jnp.array([0.3, -1.2, 0.8])


def close(a, b, tolerance=1e-5):
    assert jnp.shape(a) == jnp.shape(b)
    assert np.allclose(a, b, rtol=tolerance, atol=tolerance), (a, b)


# -- affine coupling ---------------------------------------------------------------------------------------------------


def test_the_determinants_of_a_coupling_are_those_of_its_jacobians():
    layer = AffineCoupling.create(half=3, key=KEY)
    x = jax.random.normal(jax.random.key(1), (6,))
    z, up = layer.forward(x)
    back, down = jax.jit(AffineCoupling.inverse)(layer, z)
    close(back, x)
    close(up, jnp.linalg.slogdet(jax.jacfwd(lambda x: layer.forward(x)[0])(x))[1])
    close(down, jnp.linalg.slogdet(jax.jacfwd(lambda z: layer.inverse(z)[0])(z))[1])
    log_scale, shift = jnp.split(layer.weight @ x[:3] + layer.bias, 2)
    close(z, jnp.concatenate([x[:3], x[3:] * jnp.exp(jnp.tanh(log_scale)) + shift]))


# -- rotations ---------------------------------------------------------------------------------------------------------


def hat(t):
    return jnp.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])


@pytest.mark.parametrize("tangent", [POINT, 1e-4 * POINT, 0 * POINT, 3.0 * POINT / jnp.linalg.norm(POINT)])
def test_a_rotation_is_the_exponential_of_its_tangent(tangent):
    rotation = SO3.exp(tangent)
    close(rotation.matrix, jax.scipy.linalg.expm(hat(tangent)))
    close(rotation.log(), tangent, 1e-4)
    assert jnp.isfinite(jax.jacfwd(lambda t: SO3.exp(t).log())(tangent)).all()


def test_rotations_are_a_group():
    a, b = SO3.exp(POINT), SO3.exp(POINT[::-1])
    close((a @ b).apply(POINT), a.apply(b.apply(POINT)))
    close((a @ a.inverse()).matrix, SO3.identity().matrix)
    close(a.apply(POINT), a.matrix @ POINT)
    close(jax.vmap(lambda t: SO3.exp(t).apply(POINT))(jnp.eye(3))[0], SO3.exp(jnp.eye(3)[0]).apply(POINT))


# -- replay buffer -----------------------------------------------------------------------------------------------------


def test_a_replay_buffer_keeps_the_last_transitions_and_is_donated():
    buffer = ReplayBuffer.create(capacity=4, size=2)
    add = jax.jit(ReplayBuffer.add, donate_argnums=0)
    for number in range(6):
        before = buffer
        buffer = add(before, jnp.full(2, float(number)), jnp.array(float(number)))
        assert before.observations.is_deleted() and before.rewards.is_deleted()
    assert buffer.rewards.tolist() == [4.0, 5.0, 2.0, 3.0] and buffer.capacity == 4 and buffer.added == 6
    seen, rewards = jax.jit(ReplayBuffer.sample, static_argnums=1)(buffer, 200, key=KEY)
    assert set(rewards.tolist()) == {2.0, 3.0, 4.0, 5.0} and (seen == rewards[:, None]).all()
    _, first = add(ReplayBuffer.create(4, 2), jnp.ones(2), jnp.array(7.0)).sample(9, key=KEY)
    assert (first == 7).all(), "what was never added is not drawn"


# -- key cache ---------------------------------------------------------------------------------------------------------


def test_a_key_cache_is_filled_from_the_front():
    entries = jax.random.normal(KEY, (5, 2, 3))

    def step(cache, entry):
        return cache.update(entry, 2 * entry), cache.position

    cache, positions = jax.lax.scan(step, KeyCache.empty(5, 2, 3), entries[:4])
    assert positions.tolist() == [0, 1, 2, 3] and cache.is_filled().tolist() == 4 * [True] + [False]
    close(cache.past_keys, entries.at[4].set(0))
    close(cache.past_values, 2 * entries.at[4].set(0))


# -- kernels -----------------------------------------------------------------------------------------------------------


def test_kernels_and_what_they_are_combined_to():
    xs = np.asarray(jax.random.normal(KEY, (4, 3)))
    squares = ((xs[:, None] - xs[None]) ** 2).sum(-1)
    one, two = RBF.create(), eqx.tree_at(lambda one: (one.scale, one.variance), RBF.create(), (2.0, 3.0))
    close(one.gram(xs), np.exp(-squares / 2))
    close(two.gram(xs), 3 * np.exp(-squares / 8))
    for kernel, wanted in (
        (SumKernel.create(one, two), np.exp(-squares / 2) + 3 * np.exp(-squares / 8)),
        (ProductKernel.create(one, two), 3 * np.exp(-squares / 2 - squares / 8)),
    ):
        close(kernel.gram(xs), wanted)
        close(kernel.diagonal(xs), np.diag(wanted))
        close(kernel(xs[0], xs[1]), wanted[0, 1])
    nested = SumKernel.create(one, ProductKernel.create(one, one))
    close(nested.diagonal(xs), 2 * np.ones(4))


# -- camera ------------------------------------------------------------------------------------------------------------


def test_a_camera_projects_as_its_matrix_says():
    camera = Camera.from_intrinsics(500.0, 400.0, 320.0, 240.0)
    point = jnp.array([0.2, -0.1, 2.0])
    close(camera.project(point), jnp.array([500 * 0.1 + 320, 400 * -0.05 + 240]))
    close(camera.unproject(camera.project(point), point[2]), point)
    close(Camera.identity().project(point), point[:2] / point[2])
    wide = Camera.from_field_of_view(np.pi / 2, 640, 480)
    close(wide.intrinsics, jnp.array([[320.0, 0, 320], [0, 320, 240], [0, 0, 1]]))
    close(jax.vmap(camera.project)(jnp.stack([point, 2 * point])), jnp.stack(2 * [camera.project(point)]))


# -- Kalman filter -----------------------------------------------------------------------------------------------------


def test_a_kalman_filter_is_what_conditioning_gives():
    n, m = 3, 2
    parts = [
        np.asarray(part) for part in (0.3 * jax.random.normal(KEY, (n, n)), jax.random.normal(KEY, (m, n)))
    ]
    transition, observation = np.eye(n) + parts[0], parts[1]
    filtered = KalmanFilter.create(
        jnp.zeros(n), jnp.eye(n), transition, 0.1 * jnp.eye(n), observation, 0.2 * jnp.eye(m)
    )
    mean, covariance = np.zeros(n), np.eye(n)
    ys = np.asarray(jax.random.normal(jax.random.key(1), (4, m)))
    for y in ys:
        mean, covariance = transition @ mean, transition @ covariance @ transition.T + 0.1 * np.eye(n)
        precision = np.linalg.inv(covariance) + observation.T @ observation / 0.2
        covariance = np.linalg.inv(precision)
        mean = mean + covariance @ observation.T @ (y - observation @ mean) / 0.2
        filtered = filtered.predict().update(jnp.asarray(y))
        close(filtered.mean, mean, 1e-4)
        close(filtered.covariance, covariance, 1e-4)

    def step(one, y):
        return one.predict().update(y), None

    scanned, _ = jax.lax.scan(
        step,
        KalmanFilter.create(
            jnp.zeros(n), jnp.eye(n), transition, 0.1 * jnp.eye(n), observation, 0.2 * jnp.eye(m)
        ),
        ys,
    )
    close(scanned.mean, mean, 1e-4)


# -- LoRA --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_bias", [True, False])
def test_a_low_rank_correction_is_merged(use_bias):
    linear = eqx.nn.Linear(3, 5, use_bias, key=KEY)
    x = jnp.arange(3.0)
    corrected = LoRALinear.from_linear(linear, 2, 0.5, key=jax.random.key(1))
    close(corrected(x), linear(x))
    corrected = eqx.tree_at(lambda one: one.up, corrected, jnp.ones((5, 2)))
    close(corrected(x), linear(x) + 0.5 * jnp.ones((5, 2)) @ corrected.down @ x)
    merged = corrected.merge()
    assert type(merged) is eqx.nn.Linear and jax.tree.structure(merged) == jax.tree.structure(linear)
    close(merged(x), corrected(x))
    assert not any(jax.tree.leaves(corrected.trainable().base))


# -- attention ---------------------------------------------------------------------------------------------------------


def original(layer, xs):
    """The same with the layers of Equinox."""
    size, rotary = xs.shape[1], eqx.nn.RotaryPositionalEmbedding(xs.shape[1] // layer.heads)
    theirs = eqx.nn.MultiheadAttention(layer.heads, size, key=KEY)
    weights = (layer.query, layer.key_, layer.value, layer.output)
    theirs = eqx.tree_at(
        lambda one: (
            one.query_proj.weight,
            one.key_proj.weight,
            one.value_proj.weight,
            one.output_proj.weight,
        ),
        theirs,
        weights,
    )

    def turned(query, key, value):
        of_heads = jax.vmap(rotary, in_axes=1, out_axes=1)
        return of_heads(query), of_heads(key), value

    mask = jnp.tril(jnp.ones((len(xs), len(xs)), bool))
    return theirs(xs, xs, xs, mask=mask, process_heads=turned)


def test_rotary_attention_is_that_of_equinox_all_at_once_and_step_by_step():
    layer = RotaryAttention.create(size=8, heads=2, key=KEY)
    xs = jax.random.normal(jax.random.key(1), (5, 8))
    wanted = original(layer, xs)
    close(layer(xs), wanted)
    cache, stepped = jax.lax.scan(lambda cache, x: layer.step(x, cache)[::-1], layer.empty_cache(7), xs)
    close(stepped, wanted)
    assert cache.position == 5
