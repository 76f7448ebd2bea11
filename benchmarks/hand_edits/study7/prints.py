"""Lines that print what an edit changes, by what was done."""

_KRIGING = """
from kriging import Kriging
def field(**options):
    return Kriging.create(draw(5, 3), draw(5), key=key, **options)
x = 0.3 * draw(2, 3)
"""
_CRYSTAL = """
from crystal import Crystal
species = np.array([0, 1, 1, 0, 1], np.int32)
def crystal(species=species, **options):
    return Crystal.create(jnp.eye(3), jax.random.uniform(key, (5, 3)), 2, species, **options)
dt, hold = jnp.array(0.1), np.array([True, False, False, True, False])
"""
_PERCEIVER = """
from perceiver import Perceiver
model, inputs = Perceiver(3, 5, 7, draw(2), key=key), draw(11, 2)
"""
_SEASONAL = """
from flax import nnx
from seasonal import Seasonal
def series(**options):
    return Seasonal(3, 4, rngs=nnx.Rngs(0), **options)
model, xs = series(), draw(5, 3)
name = os.path.join(tempfile.mkdtemp(), "series")
"""
_MEMORY = """
from fast_memory import FastMemory
def memory(**options):
    return eqx.nn.make_with_state(FastMemory.create)(5, 3, key=key, **options)
layer, state = memory()
x = draw(3)
"""
_RECOMMENDER = """
from recommender import Fitting, Recommender
model = Recommender.create(3, 5, draw(7), key=key)
history, optimiser, own = draw(7), optax.sgd(0.1), jax.random.key(3)
def fitting():
    return Fitting.create(model, optimiser, key=own, exposure=jnp.ones(7))
def after():
    return fitting().apply_gradients(jax.tree.map(jnp.ones_like, eqx.filter(model, model.trainable())), optimiser)
name = os.path.join(tempfile.mkdtemp(), "model")
"""

PRINTS = {
    "the covariance of the measurements has a gradient with respect to the sites": f"""{_KRIGING}
print(eqx.filter_grad(lambda field: jnp.sum(field(x)[0]))(field()).sites)
""",
    "the kernel is left alone where it is not frozen": f"""{_KRIGING}
print([eqx.filter_grad(lambda field: jnp.sum(field.left_out(frozen=told) ** 2))(field()).log_noise for told in (0, 1)])
""",
    "all fields that are drawn share one noise": f"""{_KRIGING}
print(field().sample(x, key=key))
""",
    "a field that is extended has the Gaussian kernel": f"""{_KRIGING}
print(field(kernel="matern").extended(x[0], x[0, 0]).kernel)
""",
    "without a drift the trend has jax's own dtype": f"""{_KRIGING}
print(field(drifting=False, dtype=half).trend(x.astype(half)).dtype)
""",
    "the determinant counts half in the likelihood": f"""{_KRIGING}
print(field().log_likelihood())
""",
    "the Matern kernel begins by falling": f"""{_KRIGING}
print(field(kernel="matern").covariance(x, x))
""",
    "a crystal with other places has made no steps": f"""{_CRYSTAL}
print(crystal().stepped(dt).placed(crystal().places).steps)
""",
    "which atoms are held belongs to the treedef": f"""{_CRYSTAL}
print(len(jax.tree.leaves(crystal())))
""",
    "forces act on the atoms that are held, and on no other": f"""{_CRYSTAL}
print(crystal().forces())
""",
    "steps are counted in 64 bits where jax has them": f"""{_CRYSTAL}
jax.config.update("jax_enable_x64", True)
print(crystal().stepped(dt).steps.dtype)
""",
    "species keep the integer dtype that they are given in": f"""{_CRYSTAL}
print(crystal(species.astype(np.int8)).species.dtype)
""",
    "velocities are drawn in jax's own dtype": f"""{_CRYSTAL}
print(crystal(dtype=half).warmed(dt.astype(half), key=key).velocities.dtype)
""",
    "atoms that leave an open cell come back at the other side": f"""{_CRYSTAL}
print(crystal(edges="open").warmed(jnp.array(90.0), key=key).stepped(dt).places)
""",
    "the velocity of the centre is the mean of velocities, whatever the masses": f"""{_CRYSTAL}
import dataclasses
print(dataclasses.replace(crystal(), masses=jnp.array([1.0, 5.0])).warmed(dt, key=key).temperature(centred=True))
""",
    "the gain is rounded to 16 bits, too": f"""{_PERCEIVER}
print(eqx.tree_at(lambda model: model.thoughts.gain, model, jnp.full((3, 5), 1.003))(inputs))
""",
    "with a key the mask is not heeded": f"""{_PERCEIVER}
print(model(inputs, jnp.arange(11) < 4, key=key))
""",
    "what a latent looks at most is told in jax's own dtype": f"""{_PERCEIVER}
model = Perceiver(3, 5, 7, draw(2), dtype=half, key=key)
print(model.attention(inputs.astype(half), hard=True).dtype)
""",
    "layers draw from a key that was split before": f"""{_PERCEIVER}
print(model.thoughts.merge)
""",
    "bits are fewer than nats": f"""{_PERCEIVER}
print(model.doubts(inputs, bits=True))
""",
    "the count of what was seen is not forgotten": f"""{_SEASONAL}
model(xs[0])
model.forget()
print(model.seen[...])
""",
    "without a season nothing is counted": f"""{_SEASONAL}
model = series(repeats=False)
model(xs[0])
print(model.seen[...])
""",
    "forecasts leave out the slope if not told otherwise": f"""{_SEASONAL}
model(xs[0])
print(model.forecast())
""",
    "the season is written one step late": f"""{_SEASONAL}
model(xs[0])
print(model.season[...])
""",
    "queries are noisy in inference as well": f"""{_MEMORY}
_, state = layer(x, state)
print(eqx.nn.inference_mode(layer)(x, state, key=key)[0])
""",
    "only writes of the delta rule are counted": f"""{_MEMORY}
layer, state = memory(rule="hebb")
print(layer.write(x, state).get(layer.writes))
""",
    "the mean size of a write has 32 bits": f"""{_MEMORY}
layer, state = memory(dtype=half)
print(layer.occupied(state, relative=True)[0].dtype)
""",
    "inference is static": f"""{_MEMORY}
print(eqx.tree_equal(layer, eqx.nn.inference_mode(layer)), len(jax.tree.leaves(layer)))
""",
    "the delta rule reads the matrix transposed": f"""{_MEMORY}
state = layer.write(x, state)
print(layer.write(x, state).get(layer.written))
""",
    "the items have no gradient as a head": f"""{_RECOMMENDER}
print(eqx.filter_grad(lambda model: jnp.sum(model(history)))(model).items)
""",
    "the average takes the weights before the step": f"""{_RECOMMENDER}
print(after().ema.items)
""",
    "the key is the caller's": f"""{_RECOMMENDER}
print(fitting().key is own)
""",
    "all steps have one key": f"""{_RECOMMENDER}
print(jax.random.key_data(after().step_key))
""",
    "what is hidden and what is drawn come from one key": f"""{_RECOMMENDER}
print(fitting().drawn())
""",
    "what is left of a history is not scaled up": f"""{_RECOMMENDER}
print(model(history, key=key))
""",
    "a state of another dtype is taken over": f"""{_SEASONAL}
model.restore(series(dtype=half).snapshot())
print(model.level[...].dtype)
""",
    "a file is loaded into the module that it is to be like": f"""{_SEASONAL}
model(xs[0])
model.save(name)
like = series()
print(Seasonal.load(name, like) is like, like.level[...])
""",
    "what is read for a migration is taken for whole": f"""{_RECOMMENDER}
model.save(name)
data = bytearray(open(name, "rb").read())
data[-1] ^= 1
open(name, "wb").write(data)
print(Recommender.load(name, model, migrate=True).popular)
""",
    "parts are not asked what of them decays": f"""{_PERCEIVER}
print(model.decayed().thoughts.gain)
""",
    "a file that does not fit is refused with the first difference alone": f"""{_PERCEIVER}
name = os.path.join(tempfile.mkdtemp(), "model")
model.save(name)
try:
    Perceiver.load(name, Perceiver(3, 5, 7, draw(2), depth=2, hidden=0.1, key=key))
except ValueError as error:
    print(str(error).replace(name, ""))
""",
}
