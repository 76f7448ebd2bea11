"""Lines that print what an edit changes, by what was done."""

_POINTS = """
from points import Points
def points(**options):
    return Points.create(3, 2, draw(2), key=key, **options)
cloud = draw(5, 2)
present = jnp.array([True, False, True, False, False])
"""
_SPLINE = """
from spline import Spline
knots = jnp.array([0.0, 1.0, 3.0])
curve = Spline.create(knots, draw(3, 2), "extend", "A")
"""
_TABULAR = """
from tabular import Tabular
model = Tabular(7, 2, 5, 3, key=key)
codes, numbers = jnp.array([1, -1]), draw(2)
"""
_STREAMING = """
from flax import nnx
from streaming import Streaming
def streaming(**options):
    return Streaming(3, 4, rngs=nnx.Rngs(0), **options)
layer, signal = streaming(), draw(6, 4)
name = os.path.join(tempfile.mkdtemp(), "layer")
"""
_ACTNORM = """
from actnorm import Actnorm
layer, state = eqx.nn.make_with_state(Actnorm.create)(3, key=key)
def moved(layer):
    layer = eqx.tree_at(lambda layer: layer.shift, layer, draw(3))
    return eqx.tree_at(lambda layer: layer.log_scale, layer, draw(3))
"""
_CONTRAST = """
from contrast import Contrast, Tower
model = Tower.create(3, 2, 4, key=key)
optimiser = optax.adamw(0.1)
training = Contrast.create(model, optimiser, key=key, queue=draw(5, 4))
"""

PRINTS: dict[str, str] = {
    "the noise is drawn in the default dtype": _POINTS
    + "print(points(dtype=half)(cloud.astype(half), key=key).dtype)",
    "the largest features are taken of missing points as well": _POINTS
    + "print(points(pooling='max')(cloud, present))",
    "the centre is read without a stop of the gradient": _POINTS
    + "print(eqx.filter_grad(lambda layer: jnp.sum(layer(cloud)))(points()).centre)",
    "the name of the centre is misspelt in the filter spec": _POINTS + "print(points().trainable().centre)",
    "both clouds are moved to the centre of the first": _POINTS
    + "print(points().similarity(cloud, cloud[:3] ** 2, centred=True))",
    "the mean divides by the number of all points": _POINTS + "print(points()(cloud, present))",
    "the shifted curve is always clamped": _SPLINE + "print(curve.shifted(jnp.ones(2)).outside)",
    "the unit is left out of the treedef, so that no other unit compiles anew": _SPLINE
    + "print(jax.tree.map(lambda leaf: leaf, curve).unit)",
    "the number of levels is not compared with that of the knots": _SPLINE
    + "print(Spline.create(knots, draw(5, 2)).levels.shape)",
    "slopes are computed in 32 bits, as small differences need": _SPLINE
    + "print(Spline.create(knots.astype(half), draw(3, 2).astype(half)).slopes().dtype)",
    "the mean of the values at the knots has no gradient": _SPLINE
    + "print(jax.grad(lambda levels: jnp.sum(Spline(knots, levels, 'clamp', 'V').mean(weighted=False)))(draw(3, 2)))",
    "the mean takes the value at the left of each piece": _SPLINE + "print(curve.mean())",
    "the head is cut off from the gradient of the embedding": _TABULAR
    + "print(eqx.filter_grad(lambda model: jnp.sum(model(codes, numbers)))(model).embedding)",
    "the weights of the numbers begin with the spread of their outputs": _TABULAR
    + "print(Tabular(7, 2, 500, 3, key=key).numeric.std())",
    "training with a key keeps all results for the way back": _TABULAR
    + "print(str(jax.make_jaxpr(lambda n: model(codes, n, key=key))(numbers)).count('remat'))",
    "one draw says whether all blocks are left out": _TABULAR
    + "print([model(codes, numbers, key=jax.random.key(seed))[0].item() for seed in range(5)])",
    "a missing category is taken for the last one": _TABULAR + "print(model(codes, numbers))",
    "the lengths behind the blocks are measured in 32 bits": _TABULAR
    + "print(Tabular(7, 2, 5, 3, dtype=half, key=key).trace(codes, numbers.astype(half)).dtype)",
    "value and gate of a block change places": _TABULAR + "print(model(codes, numbers))",
    "a single sample is not counted": _STREAMING + "layer.step(signal[0])\nprint(layer.heard[...])",
    "a reset forgets the level as well": _STREAMING + "layer(signal)\nlayer.reset()\nprint(layer.level[...])",
    "the level is made in the default dtype": _STREAMING + "print(streaming(dtype=half).level[...].dtype)",
    "the bias is left out beside the input": _STREAMING
    + "layer = streaming(residual=True)\nlayer.bias[...] = jnp.ones(4)\nprint(layer(signal))",
    "a single sample meets the taps in reverse": _STREAMING + "layer(signal)\nprint(layer.step(signal[0]))",
    "the first batch is never marked as such": _ACTNORM
    + "_, state = layer(draw(4, 3), state)\n_, state = layer(2 * draw(5, 3), state)\nprint(state.get(layer.mean))",
    "whether it is inference belongs to the treedef": _ACTNORM
    + "print(len(jax.tree.leaves(layer)), len(set(map(str, (jax.tree.structure(layer),)))))",
    "the mean change of volume is given in 32 bits": _ACTNORM
    + "layer, state = eqx.nn.make_with_state(Actnorm.create)(3, dtype=half, key=key)\n"
    + "print(layer.log_det(state, per_entry=True)[0].dtype)",
    "the rotation begins as any matrix of the same spread": _ACTNORM
    + "print(jnp.round(layer.rotation @ layer.rotation.T, 2))",
    "the shift is added after the scale, both ways": _ACTNORM + "print(moved(layer).forward(draw(3)))",
    "the deviation is that of a sample": _ACTNORM + "print(layer(draw(4, 3), state)[0])",
    "the key of a step follows the place in the queue": _CONTRAST
    + "later = training.apply_gradients(model, optimiser)\nprint(bool(jnp.all(later.step_key == training.step_key)))",
    "both views drop the same units": _CONTRAST
    + "one, other = training.dropout_keys()\nprint(bool(one == other))",
    "the temperature decays": _CONTRAST + "print(model.decayed().log_temperature)",
    "the model is stored as it was given": _CONTRAST + "print(training.model.inner is model.inner)",
    "the nearest code is marked in 32 bits": _CONTRAST
    + "print(Tower.create(3, 2, 4, dtype=half, key=key).logits(draw(4).astype(half), draw(5, 4).astype(half), hard=True).dtype)",
    "a high temperature sharpens": _CONTRAST + "print(model.logits(draw(4), draw(5, 4)))",
    "a state of another dtype is taken over": _STREAMING
    + "layer.restore(streaming(dtype=half).snapshot())\nprint(layer.mix[...].dtype)",
    "a file says nothing of the types of Variables": _STREAMING
    + "layer.save(name)\nprint(open(name, 'rb').read().count(b'BatchStat'))",
    "what is read goes into the module that is the example": _STREAMING
    + "layer.save(name)\nlike = streaming()\nprint(Streaming.load(name, like) is like)",
    "a leaf without a checksum is not checked": _CONTRAST
    + """
import json, safetensors.numpy
name = os.path.join(tempfile.mkdtemp(), "training")
training.save(name)
with safetensors.safe_open(name, "np") as file:
    metadata, tensors = file.metadata(), {place: file.get_tensor(place) for place in file.keys()}
safetensors.numpy.save_file(tensors, name, metadata | {"checksums": "{}"})
print(int(Contrast.load(name, training).step))
""",
}
