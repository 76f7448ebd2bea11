"""Lines that print what an edit changes, by what was done."""

_MARKOV = "from hidden_markov import HiddenMarkov\nmodel = HiddenMarkov.create(3, 2, key=key)\nxs = jnp.ones((4, 2))\n"
_HALF_MARKOV = (
    "from hidden_markov import HiddenMarkov\nmodel = HiddenMarkov.create(3, 2, False, dtype=half, key=key)\n"
)
_PARTICLES = """
from particles import Particles
positions, log_weights = jnp.arange(6.0).reshape(3, 2) ** 2, jnp.arange(3.0)
particles = Particles.create(positions, log_weights, threshold=0.9, systematic=False)
"""
_GRID = "from hash_grid import HashGrid\ngrid = HashGrid.create(2, 7, 3, 2, smooth=True, key=key)\n"
_TUNING = """
from tuning import Adapter, Tuning
optimiser = optax.sgd(0.1)
adapter = Adapter.create(2, 30, 5, rate=0.5, key=key)
tuning = Tuning.create(adapter, optimiser, key=key)
"""
_DENSE = """
from flax import nnx
from spectral_dense import SpectralDense
dense = SpectralDense(2, 3, rngs=nnx.Rngs(0))
"""
_WAVELET = (
    "from wavelet import Wavelet\nwave = Wavelet.create(3, periodic=False, key=key)\nx = jnp.arange(8.0)\n"
)
_STATE = """
from regressor import Regressor
from train_state import TrainState
from whiten import Whiten
def regressor(dtype):
    return Regressor.create(Whiten.create(jnp.zeros(2, dtype), jnp.ones(2, dtype), dtype=dtype), 2, 3, dtype, key=key)
"""

PRINTS: dict[str, str] = {
    "the means are drawn with the key of the transition": _MARKOV + "print(model.means)",
    "the uniform start is a new array in place of one like the transition": _HALF_MARKOV
    + "print(model.log_start().dtype)",
    "the constant of the density is computed by NumPy, in 64 bits": _HALF_MARKOV
    + "print(model.emission(jnp.ones(2, half)).dtype)",
    "the keys of the path are split from the key that was split before": _MARKOV
    + "print(model.sample(xs, key=key))",
    "decoding takes the whole sequence by default": _MARKOV
    + "print([model.decode(jax.random.normal(jax.random.key(i), (9, 2))) for i in range(20)])",
    "the floor bounds the deviation in place of adding to it": _MARKOV + "print(model.scale())",
    "the backward pass sums over the wrong axis": _MARKOV + "print(model.backward(xs))",
    "an observation gives particles with the default threshold and way to draw": _PARTICLES
    + "after = particles.reweighted(log_weights)\nprint(after.threshold, after.systematic)",
    "particles that need no new draw are returned at once": _PARTICLES
    + "print(jax.jit(lambda particles: particles.resampled(key=key).positions)(particles))",
    "the evidence begins without the dtype that was asked for": _PARTICLES
    + "print(Particles.create(positions, log_weights, dtype=half).evidence.dtype)",
    "the positions are taken over without a copy": _PARTICLES + "print(particles.positions is positions)",
    "the noise of a step has the default dtype": _PARTICLES
    + "moved = Particles.create(positions, log_weights, dtype=half).moved(jnp.ones(2, half), half(1), key=key)\n"
    + "print(moved.positions.dtype)",
    "the evidence of an observation forgets the former ones": _PARTICLES
    + "print(particles.reweighted(log_weights).reweighted(log_weights).evidence)",
    "the correction of the covariance multiplies": _PARTICLES + "print(particles.covariance(unbiased=True))",
    "the table is drawn above 0 alone": _GRID + "print(grid.table.min())",
    "the index is left unsigned": _GRID + "print(grid.index(jnp.array([1, 2], jnp.int32)).dtype)",
    "the smooth weight is the polynomial of degree five": _GRID
    + "print(grid(jnp.array([0.13, 0.58])) * 1e6)",
    "the bias decays": _TUNING + "print(jax.tree.leaves(adapter.decayed()))",
    "the fan of the down projection is that of the rank": _TUNING + "print(adapter.down.std())",
    "the flag of inference is not asked any more": _TUNING
    + "adapter = Adapter.create(2, 30, 5, rate=0.5, inference=True, key=key)\n"
    + "adapter = eqx.tree_at(lambda node: node.up, adapter, jnp.ones((2, 5)))\n"
    + "print(adapter(jnp.ones(30), key=key))",
    "the penalty is the square of a norm, whose slope at 0 is NaN": _TUNING
    + "print(eqx.filter_grad(lambda node: node.penalty())(adapter).up)",
    "every step has the same key": _TUNING
    + "after = eqx.tree_at(lambda node: node.step, tuning, tuning.step + 1)\n"
    + "print(bool(after.step_key == tuning.step_key))",
    "the average takes the weights before the step": _TUNING
    + "gradients = jax.tree.map(jnp.ones_like, adapter)\n"
    + "print(tuning.apply_gradients(gradients, optimiser).ema.bias)",
    "the learning rate goes on rising after the warm-up": _TUNING
    + "print(tuning.rate_at(jnp.asarray(50.0)))",
    "the singular vector is a parameter": _DENSE + "print(nnx.state(dense, nnx.Param).keys())",
    "the singular vector moves at inference too": _DENSE
    + "dense = SpectralDense(2, 3, training=False, rngs=nnx.Rngs(0))\ndense(jnp.ones((4, 3)))\nprint(dense.left)",
    "the inverse forgets the gain of the details": _WAVELET
    + "wave = eqx.tree_at(lambda node: node.log_gain, wave, jnp.asarray(1.0))\n"
    + "print(wave.inverse(wave.forward(x)))",
    "the threshold cuts off hard, and has no gradient": _WAVELET
    + "print(eqx.filter_grad(lambda node: jnp.sum(node(x) ** 2))(wave).threshold)",
    "the threshold has an axis": _WAVELET + "print(wave.threshold.shape)",
    "a filter that ends at the border loses the first sample too": _WAVELET + "print(wave.forward(x))",
    "a state of another dtype is restored": _DENSE
    + "dense.restore(SpectralDense(2, 3, dtype=half, rngs=nnx.Rngs(0)).snapshot())\nprint(dense.mean.dtype)",
    "loading updates the module that it is given": _DENSE
    + "other = SpectralDense(2, 3, rngs=nnx.Rngs(1))\nfile = tempfile.mktemp()\nother.save(file)\n"
    + "loaded = SpectralDense.load(file, dense)\nprint(bool((dense.weight[...] == other.weight[...]).all()))",
    "a file is written in its place, so that half of one may stay": """
import serialisation
file = tempfile.mktemp()
try:
    with serialisation._whole_file(file) as name:
        open(name, "w").write("half")
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(os.path.exists(file))
""",
    "complex arrays are not trained": """
from mlp import MLP
print(jax.tree.leaves(MLP(2, 2, 3, 1, dtype=jnp.complex64, key=key).trainable()))
""",
    "weight decay moves matrices alone, whatever the classes say": """
from weight_decay import decayed
print(decayed({"gain": jnp.ones(3), "weight": jnp.ones((3, 3))}))
""",
    "what the optimiser takes besides is not handed on": _STATE
    + "optimiser = optax.contrib.reduce_on_plateau(patience=1)\nmodel = regressor(jnp.float32)\n"
    + "state = TrainState.create(model, optimiser, key=key)\n"
    + "print(state.apply_gradients(model, optimiser, value=1.0).step)",
    "the average is held in 32 bits, whatever the weights have": 'jax.config.update("jax_enable_x64", True)\n'
    + _STATE
    + "state = TrainState.create(regressor(jnp.float64), optax.sgd(0.1), key=key)\n"
    + "print(state.ema.out.weight.dtype)",
    "all scanned layers begin with the same weights": """
from mlp import MLP
hidden = MLP(2, 2, 3, 3, scan=True, key=key).layers[1].weight
print(bool((hidden[0] == hidden[1]).all()))
""",
    "a gradient reaches the share that is dropped": """
from dropout import Dropout
print(jax.grad(lambda p: Dropout(p)(jnp.ones(9), key=key).sum())(0.4))
""",
    "the base stays frozen, whatever the flag says": """
from linear import Linear
from low_rank_linear import LowRankLinear
layer = LowRankLinear.create(Linear(3, 2, key=key), 1, 3, 2, freeze_base=False, key=key)
print(jax.tree.leaves(layer.trainable()))
""",
}
