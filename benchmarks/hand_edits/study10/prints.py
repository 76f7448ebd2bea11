"""Lines that print what an edit changes, by what was done."""

_CATCHMENT = """
from catchment import Catchment
gauged = np.array([True, False, True, True, False])
rain, river = draw(5), draw(5, 5)
def catchment(**options):
    return Catchment.create(draw(5), options.pop("river", river), gauged, **options)
"""
_ARM = """
from arm import Arm
angles, tips = draw(4), draw(3, 2)
def arm(**options):
    return Arm.create(1 + jnp.abs(draw(4)), key=key, **options)
"""
_WAVEFRONT = """
from wavefront import Wavefront
def wavefront(**options):
    return Wavefront(draw(6), 4, 3, 5, key=key, **options)
mirror, slopes = draw(4), 2 * draw(6)
"""
_COCHLEA = """
from cochlea import Cochlea
def cochlea(**options):
    return eqx.nn.make_with_state(Cochlea.create)(5, 3, key=key, **options)
ear, state = cochlea()
sample = jnp.array(0.7)
def ringing():
    return ear(sample, state)[1]
"""
_TASTE = """
from flax import nnx
from taste import Taste
import nnx_state
def taste(**options):
    return Taste(4, 3, draw(5, 2), rngs=nnx.Rngs(0), **options)
model, one = taste(), jnp.array(1)
"""
_MOLECULE = """
from molecule import Molecule, Study
def molecule(**options):
    return Molecule(draw(3), 4, 6, key=key, **options)
def study(**options):
    return Study.create(molecule(), optax.sgd(0.1), key=options.pop("key", key), tasks=3, **options)
atoms, bonds = jax.random.randint(key, (5,), 0, 4), draw(5, 5)
"""

PRINTS = {
    "rain in one basin and rain in all are drawn with one key": f"""{_CATCHMENT}
print(catchment().forecast(rain, key=key))
""",
    "areas have a gradient where damage is counted": f"""{_CATCHMENT}
print(jax.grad(lambda one: one.flood(9 * rain, rain).damage, allow_int=True)(catchment()).area)
""",
    "days are not counted": f"""{_CATCHMENT}
print(catchment().rained(rain)[0].day)
""",
    "the river is the caller's own array": f"""{_CATCHMENT}
print(catchment().river is river)
""",
    "shares of water add up over the basins that it comes from": f"""{_CATCHMENT}
print(catchment().routed(rain))
""",
    "three steps are made, whatever is asked": f"""{_ARM}
print(arm().reached(tips[0], angles, steps=1))
""",
    "weights of what was seen have 32 bits": f"""{_ARM}
seen = jnp.array([True, False, True])
print(arm(dtype=half).loss(draw(3, 4).astype(half), tips.astype(half), seen).dtype)
""",
    "an even arm has four joints, whatever is asked": f"""{_ARM}
print(Arm.even(jnp.array(3.0), joints=6, key=key).mass.shape)
""",
    "the damping is a leaf": f"""{_ARM}
print(len(jax.tree.leaves(arm())))
""",
    "a robust loss is not 0 where nothing is wrong": f"""{_ARM}
poses = draw(3, 4)
print(arm().loss(poses, jax.vmap(arm())(poses), robust=True))
""",
    "what is in the hand takes the place of the last link": f"""{_ARM}
print(arm().loaded(jnp.array(0.1)).mass)
""",
    "the optics are never trained": f"""{_WAVEFRONT}
print(wavefront(keep_optics=False).trainable().influence)
""",
    "a gust is drawn with the key of calm air": f"""{_WAVEFRONT}
print(wavefront().turbulent(key=key, gusts=True))
""",
    "slopes count that are not lit": f"""{_WAVEFRONT}
print(wavefront()(mirror, slopes, slopes > 0))
""",
    "a closed loop returns its frames first": f"""{_WAVEFRONT}
print([one.shape for one in wavefront().closed(draw(3, 6), mirror)])
""",
    "the optics are drawn with the key of the reconstructor": f"""{_WAVEFRONT}
print(wavefront().influence)
""",
    "the mirror bends as its transpose": f"""{_WAVEFRONT}
print(wavefront().phase(draw(4), mirror))
""",
    "samples are counted where nerves are noisy": f"""{_COCHLEA}
print(ringing().get(ear.heard))
""",
    "a margin has no gradient": f"""{_COCHLEA}
after = ringing()
print(jax.grad(lambda margin: jnp.sum(ear.masked(draw(5), after, margin)[0]))(jnp.array(0.1)))
""",
    "an ear rests when it is asked how tired it is": f"""{_COCHLEA}
print(ear.tired(state)[1].get(ear.loudness))
""",
    "loud sounds stay loud by default": f"""{_COCHLEA}
print(ear.compress)
""",
    "the loudness begins in jax's own dtype": f"""{_COCHLEA}
ear, state = cochlea(dtype=half)
print(state.get(ear.loudness).dtype)
""",
    "decibels are twice as many": f"""{_COCHLEA}
print(ear.response(draw(4), decibels=True))
""",
    "the gain stays as it is in silence": f"""{_COCHLEA}
print(ear.silence(jnp.array(2.0), state)[1].get(ear.loudness))
""",
    "who forgets has a new Variable": f"""{_TASTE}
held = model.popular
model.forget()
print(model.popular is held)
""",
    "moods are not trained": f"""{_TASTE}
print(len(jax.tree.leaves(nnx.state(model, nnx.Param))))
""",
    "cold things are scored as all others": f"""{_TASTE}
print(model.scores(one, cold=True))
""",
    "a memory that never learns is taken": f"""{_TASTE}
try:
    print(taste(memory=1.0).memory)
except ValueError as error:
    print(error)
""",
    "vectors are as long as their columns": f"""{_TASTE}
print(taste(cosine=True).vectors())
""",
    "all molecules of a batch lose the same": f"""{_MOLECULE}
twice = [jnp.stack([each, each]) for each in (atoms, bonds)]
print(study(noisy=False).errors(*twice, jnp.zeros((2, 3))))
""",
    "the average is of the weights before a step": f"""{_MOLECULE}
now = study()
later = now.apply_gradients(jax.tree.map(jnp.ones_like, eqx.filter(now.model, eqx.is_array)), optax.sgd(0.1))
print(later.ema.gate)
""",
    "atoms speak twice, whatever the setting": f"""{_MOLECULE}
print(molecule(rounds=3)(atoms, bonds))
""",
    "the head has a bias": f"""{_MOLECULE}
print(molecule().head.bias)
""",
    "atoms that fill up an array count for the mean": f"""{_MOLECULE}
print(molecule()(atoms, bonds, atoms > 1))
""",
    "every key is read as one of the default generator": f"""{_MOLECULE}
name = os.path.join(tempfile.mkdtemp(), "study")
now = study(key=jax.random.key(0, impl="rbg"))
now.save(name)
print(Study.load(name, now).key.dtype)
""",
    "Python numbers are configuration, and not saved": f"""{_COCHLEA}
name = os.path.join(tempfile.mkdtemp(), "ear")
eqx.nn.inference_mode(ear).save(name)
print(Cochlea.load(name, ear).inference)
""",
    "what a state has more is added to the module": f"""{_TASTE}
more = nnx.state(model)
more["extra"] = nnx.Param(jnp.ones(2))
model.restore(more)
print(hasattr(model, "extra"))
""",
    "a function for a base class of Variables is passed by": f"""{_TASTE}
print(nnx_state.map_variables({{nnx.Variable: jnp.zeros_like}}, model)["mean"])
""",
    "what lies below a renamed field is not found": f"""{_ARM}
from migrations import Migration, load_migrated
from serialisation import save_tree
class Old(eqx.Module):
    parts: list
class New(eqx.Module):
    migrations = (Migration(renamed={{"parts": "links"}}, former="Old"),)
    links: list
Old.__module__ = New.__module__ = ""
Old.__qualname__, New.__qualname__ = "Old", "New"
name = os.path.join(tempfile.mkdtemp(), "arm")
save_tree(name, Old([jnp.ones(2), jnp.ones(3)]))
print(load_migrated(name, New([jnp.zeros(2), jnp.zeros(3)])).links)
""",
    "weight decay moves what is not trained": f"""{_WAVEFRONT}
print(wavefront().decayed().influence)
""",
}
