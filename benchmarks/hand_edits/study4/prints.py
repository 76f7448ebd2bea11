"""Lines that print what an edit changes, by what was done."""

_ROTARY = "from rotary import Rotary\nlayer = Rotary.create(2, 3, 5, key=key)\nx = draw(4, 5)\n"
_REPLAY = """
from replay import Replay
replay = Replay.create(3, 2, 0.7, 0.2, True).added(draw(2), jnp.float32(1)).added(draw(2), jnp.float32(2))
"""
_MIXER = """
from mixer import Mixer
mixer = Mixer(11, 5, 3, 7, key=key)
tokens = jnp.arange(5)
"""
_QUANTIZER = """
from flax import nnx
from quantizer import Quantizer
def quantizer(**options):
    return Quantizer(2, 3, 5, rngs=nnx.Rngs(0), **options)
xs = draw(4, 3)
"""
_ECHO = """
from echo import Echo
def echo(**options):
    return eqx.nn.make_with_state(Echo.create)(3, **options)
layer, state = echo()
"""
_DIFFUSION = """
from diffusion import Denoiser, Diffusion
optimiser = optax.adamw(0.1, weight_decay=0.1)
model = Denoiser.create(2, 3, 5, key=key)
training = Diffusion.create(model, optimiser, key=key)
"""

PRINTS: dict[str, str] = {
    "the frequencies are read without a stop of the gradient": _ROTARY
    + "print(eqx.filter_grad(lambda layer: jnp.sum(layer(x) ** 2))(layer).frequencies)",
    "without a key a fixed one drops": _ROTARY + "print(layer(x))",
    "the mask is asked only where attention is not causal": _ROTARY
    + "print(layer(x, jnp.array([False, True, True, True])))",
    "the flag of the norm switches the sinks as well": _ROTARY
    + "print(Rotary.create(2, 3, 5, use_sinks=False, key=key).sinks)",
    "the angles are computed in 32 bits, and so is all that follows": _ROTARY
    + "print(layer.turn(draw(2, 4, 6).astype(half)).dtype)",
    "pairs are turned the other way": _ROTARY + "print(layer(x))",
    "the first position is cut off in place of the sink": _ROTARY + "print(layer(x))",
    "new priorities swap the two exponents": _REPLAY
    + "print(replay.reprioritised(jnp.arange(2), jnp.ones(2)).alpha)",
    "the paths name rewards and priorities the wrong way round": _REPLAY
    + "print(jax.tree_util.tree_leaves_with_path(replay))",
    "the order of the rewards is forgotten when jax rebuilds": _REPLAY
    + "print(jax.tree.map(lambda leaf: leaf, replay).ordered())",
    "the priority of a new transition is a Python number": _REPLAY
    + "print(jax.jit(lambda replay: replay.added(jnp.ones(2), jnp.float32(3)).written)(replay))",
    "the noise is drawn with the key of the indices": _REPLAY
    + "print(replay.sampled(jnp.ones(4), key=key).importance)",
    "the noise has jax's default dtype": _REPLAY
    + "replay = Replay.create(3, 2, dtype=half).added(jnp.ones(2, half), half(1))\n"
    + "with jax.numpy_dtype_promotion('standard'):\n"
    + "    print(replay.sampled(jnp.ones(4, half), key=key).importance.dtype)",
    "a new transition wraps at the size of an observation": _REPLAY
    + "print(replay.added(draw(2), jnp.float32(3)).rewards)",
    "the newest first are those of the storage flipped, not of the order": _REPLAY
    + "print(replay.ordered())",
    "all layers drop with the key of the first": _MIXER + "print(mixer(tokens, key=key))",
    "the layers are not computed again on the way back, where none drops": _MIXER
    + 'print(str(jax.make_jaxpr(lambda mixer: mixer(tokens))(mixer)).count("remat"))',
    "no gradient reaches the embedding through the head": _MIXER
    + "print(eqx.filter_grad(lambda mixer: jnp.sum(mixer(tokens) ** 2))(mixer).embedding)",
    "two layers are made, whatever the depth": _MIXER
    + "print(Mixer(11, 5, 3, 7, 3, key=key).blocks.up.shape)",
    "logits are cut off at the cap": _MIXER + "print(Mixer(11, 5, 3, 7, capped=True, key=key)(tokens))",
    "the mean is taken over the positions": _MIXER + "print(mixer(tokens))",
    "comparing directions normalises the codebook itself": _QUANTIZER
    + "layer = quantizer(cosine=True, training=False)\nlayer(xs)\nprint(layer.codebook)",
    "the entries replace the vectors, without a gradient straight through": _QUANTIZER
    + "print(nnx.grad(lambda layer: jnp.sum(layer(xs) ** 2))(quantizer()).project)",
    "the choice of entries is counted in 32 bits": _QUANTIZER
    + "layer = quantizer(dtype=half)\nlayer(xs.astype(half))\nprint(layer.usage, layer.codebook)",
    "the entropy is in bits": _QUANTIZER + "print(quantizer().perplexity())",
    "a prediction does not hand the state back": _ECHO
    + "print(type(layer.predicted(jnp.ones(3), state)).__name__)",
    "a forgotten history has 32 bits": _ECHO
    + "layer, state = echo(dtype=half)\n"
    + "print(layer.forgotten(half(0.5), state, everything=True)[1].get(layer.history).dtype)",
    "no gradient reaches the step size": _ECHO
    + "def loss(layer):\n"
    + "    after = layer(jnp.ones(()), jnp.ones(()), state)[1]\n"
    + "    return after.get(layer.filter).sum()\n"
    + "print(eqx.filter_grad(loss)(layer).log_step)",
    "the leak shrinks the step as well": _ECHO
    + "print(layer(jnp.ones(()), jnp.ones(()), state)[1].get(layer.filter))",
    "the noise is drawn with the key of the step": _DIFFUSION
    + "print(training.noised(jnp.ones(5), jnp.int32(2), key=jax.random.key(3)))",
    "the average begins as the arrays of the model": _DIFFUSION
    + "print(training.ema.inner is training.model.inner)",
    "the averaged model has the dtype of the average": _DIFFUSION
    + "small = Denoiser.create(2, 3, 5, dtype=half, key=key)\n"
    + "print(Diffusion.create(small, optimiser, key=key).averaged().inner.dtype)",
    "the optimiser moves every float array, the frequencies among them": _DIFFUSION
    + "print(training.apply_gradients(jax.tree.map(jnp.ones_like, model), optimiser).model.frequencies)",
    "the number of steps begins with a weak type": _DIFFUSION + "print(training.step.weak_type)",
    "a snapshot is the state of the module itself": _QUANTIZER
    + "layer = quantizer()\nstate = layer.snapshot()\nlayer(xs)\nprint(state.calls)",
    "the first class that fits decides, not the nearest": _QUANTIZER
    + "from nnx_state import map_variables\n"
    + "functions = {nnx.Variable: lambda value: 0 * value, nnx.Param: lambda value: value}\n"
    + "print(map_variables(functions, quantizer()).project)",
    "a file says nothing of floats among the settings": _QUANTIZER
    + "file = tempfile.mktemp()\nquantizer(decay=0.5).save(file)\nprint(Quantizer.load(file, quantizer()).decay)",
    "leaves that the class has no more are dropped without a word": """
import migrations, serialisation
class Net(eqx.Module):
    a: jax.Array
    b: jax.Array
file = tempfile.mktemp()
serialisation.save_tree(file, Net(jnp.ones(2), jnp.ones(3)))
class Net(eqx.Module):
    a: jax.Array
    migrations = (migrations.Migration(dropped=("b",)),)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(migrations.load_migrated(file, Net(jnp.zeros(2))).a, len(caught))
""",
    "sub-modules are not asked what decays": _MIXER + "print(mixer.decayed().blocks.first_scale)",
    "settings are compared to three digits": _ROTARY
    + "file = tempfile.mktemp()\nlayer.save(file)\n"
    + "print(Rotary.load(file, Rotary.create(2, 3, 5, base=100.1, key=key)).base)",
}
