"""Lines that print what an edit changes, by what was done."""

_GLACIER = """
from glacier import Glacier
def glacier(**options):
    hard, thawed = 1 + jnp.abs(draw(4)), np.array([False, True, False, True])
    return Glacier.create(hard, draw(4), thawed, jnp.array(0.7), key=key, **options)
load = draw(4)
"""
_LOOM = """
from loom import Loom
def loom(shafts=3, **options):
    heddles = np.arange(5 * shafts).reshape(shafts, 5) % 3 != 0
    return Loom.create({"madder": draw(5)}, heddles, jnp.array([2, 0, 1, 2]), key=key, **options)
weft = draw(5)
"""
_SPECTROGRAPH = """
from spectrograph import Spectrograph
def spectrograph(**options):
    dark, dead = options.pop("dark", jnp.abs(draw(5))), np.array([False, False, True, False, False])
    return Spectrograph(3, dark, dead, jnp.array([1, 3]), key=key, **options)
light = draw(3)
"""
_SEISMOMETER = """
from seismometer import Seismometer
def seismometer(**options):
    mass, buried = 1 + jnp.abs(draw(3)), np.array([False, True, False])
    return eqx.nn.make_with_state(Seismometer.create)(mass, buried, key=key, **options)
one, state = seismometer()
ground = draw(3)
"""
_SOURDOUGH = """
from flax import nnx
from sourdough import Sourdough
def sourdough(seed=0, **options):
    wild, ages = np.array([True, False, False, True]), jnp.array([1, 4, 2, 3])
    return Sourdough(1 + jnp.abs(draw(3)), wild, ages, rngs=nnx.Rngs(seed), **options)
one, meal = sourdough(), draw(3)
"""
_POLLEN = """
from pollen import Pollen
def pollen(**options):
    return Pollen.create(3, np.array([False, True, False, False]), jax.random.key(5), key=key, **options)
gust = draw(3)
"""
_FILE = """
path = os.path.join(tempfile.mkdtemp(), "file.safetensors")
"""

PRINTS = {
    "a surge is of no account": f"""{_GLACIER}
print(bool(jnp.all(glacier()(load, surge=True) == glacier()(load))))
""",
    "what breaks off is added up for each face": f"""{_GLACIER}
print(glacier().calved(9 * draw(6, 4))[1].shape)
""",
    "ice melts in four steps, whatever is asked for": f"""{_GLACIER}
print(glacier().thinned(load, steps=6).shape)
""",
    "the coldest layer is an integer of Python's kind": f"""{_GLACIER}
jax.config.update("jax_enable_x64", True)
print(glacier().coldest(load).dtype)
""",
    "friction has a gradient": f"""{_GLACIER}
print(eqx.filter_grad(lambda one: one(load).sum())(glacier()).bed)
""",
    "the second part holds all": f"""{_GLACIER}
print(glacier().partition_rheology()[1].mixing is None)
""",
    "hard ice creeps faster": f"""{_GLACIER}
print(glacier()(load))
""",
    "sett and beat are exchanged where it is rebuilt": f"""{_LOOM}
one = jax.tree.map(lambda leaf: leaf, loom())
print(one.sett, one.beat)
""",
    "the beat is a leaf": f"""{_LOOM}
print(len(jax.tree.leaves(loom())), jax.tree.map(lambda leaf: 2 * leaf, loom()).beat)
""",
    "a dye is taken up by what it colours": f"""{_LOOM}
one = loom()
one.colour("madder")
print(one.dyes["madder"])
""",
    "a loom that is tightened has no selvedge": f"""{_LOOM}
print(loom(selvedge=True).tightened(weft).selvedge)
""",
    "lifts are counted of three shafts": f"""{_LOOM}
print(loom(shafts=4).lifts())
""",
    "the last row adds to the next": f"""{_LOOM}
print(loom().woven(draw(4, 5))[0])
""",
    "places have 32 bits": f"""{_SPECTROGRAPH}
print(spectrograph(dtype=half).centroid(draw(5).astype(half)).dtype)
""",
    "an exposure is asked whether it is true": f"""{_SPECTROGRAPH}
print(eqx.filter_jit(spectrograph())(light, jnp.array(2.0)))
""",
    "the dark frame is not copied": f"""{_SPECTROGRAPH}
dark = jnp.abs(draw(5))
one = spectrograph(dark=dark)
print(one.dark is dark, one.dark.unsafe_buffer_pointer() == dark.unsafe_buffer_pointer())
""",
    "the width is computed once, and stored": f"""{_SPECTROGRAPH}
print(eqx.tree_at(lambda one: one.raw_width, spectrograph(), draw(5))(light))
""",
    "the logarithm is of squares": f"""{_SPECTROGRAPH}
print(spectrograph(readout="log")(light))
""",
    "a centroid weighs by squares": f"""{_SPECTROGRAPH}
print(spectrograph().centroid(draw(5)))
""",
    "the short average is cleared in a state that is let go": f"""{_SEISMOMETER}
state = one(ground, state)[1]
print(one.calibrated(ground, state)[1].get(one.short))
""",
    "shocks are counted at inference, too": f"""{_SEISMOMETER}
state = state.set(one.short, 9 * jnp.ones(3))
print(eqx.nn.inference_mode(one)(ground, state)[1].get(one.shocks))
""",
    "the long average begins at zero": f"""{_SEISMOMETER}
print(state.get(one.long))
""",
    "a magnitude has no gradient for the mass": f"""{_SEISMOMETER}
print(eqx.filter_grad(lambda one: one.magnitude(draw(4, 3)).sum())(one).mass)
""",
    "the short average forgets as much as it should keep": f"""{_SEISMOMETER}
print(one(ground, state)[1].get(one.short))
""",
    "shocks from afar count less": f"""{_SEISMOMETER}
print(one.magnitude(draw(4, 3), jnp.array(2.0)))
""",
    "the usual meal is averaged in a local variable": f"""{_SOURDOUGH}
one(meal)
print(one.usual[...])
""",
    "heritage is trained": f"""{_SOURDOUGH}
print("heritage" in nnx.state(one, nnx.Param))
""",
    "there may be as much salt as dough": f"""{_SOURDOUGH}
print(sourdough(salt=1.0).salt)
""",
    "acid makes a loaf rise": f"""{_SOURDOUGH}
one = sourdough(crust="burnt")
one.acid[...] = jnp.ones(4)
print(one.risen(draw(4)))
""",
    "all gusts have the same draw": f"""{_POLLEN}
print(pollen().sampled(jnp.stack([gust, gust]), key=key))
""",
    "a call needs a key": f"""{_POLLEN}
print(pollen()(gust))
""",
    "how sticky plants are is not learnt": f"""{_POLLEN}
print(eqx.filter_grad(lambda one: one(gust).sum())(pollen()).stickiness)
""",
    "scent decays": f"""{_POLLEN}
print(pollen().decayed().scent)
""",
    "an eddy is uniform": f"""{_POLLEN}
print(pollen()(gust, key=key))
""",
    "only what Equinox marks as static is told in a file": f"""{_LOOM}{_FILE}
loom(beat=0.9).save(path)
try:
    print(Loom.load(path, loom(beat=0.1)).beat)
except ValueError:
    print("refused")
""",
    "Python's numbers are loaded as scalars of NumPy": f"""{_SEISMOMETER}{_FILE}
one.save(path)
print(type(Seismometer.load(path, one).inference) is bool)
""",
    "a file that is migrated has new checksums": f"""{_SPECTROGRAPH}{_FILE}
spectrograph().save(path)
data = bytearray(open(path, "rb").read())
data[-1] ^= 1
open(path, "wb").write(data)
try:
    Spectrograph.load(path, spectrograph(), migrate=True)
    print("loaded")
except ValueError:
    print("refused")
""",
    "a state fits whatever its Variables are": f"""{_SOURDOUGH}
state = one.snapshot()
state["acid"] = nnx.Param(jnp.ones(4))
try:
    one.restore(state)
    print("restored")
except ValueError:
    print("refused")
""",
    "a file is loaded into the module that is given": f"""{_SOURDOUGH}{_FILE}
one.save(path)
like = sourdough(seed=1)
print(Sourdough.load(path, like) is like, bool(jnp.all(like.appetite[...] == one.appetite[...])))
""",
    "only arrays of 32 bits are trained": f"""{_POLLEN}
print(pollen(dtype=half).trainable().drift)
""",
}
