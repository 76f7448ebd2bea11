"""Lines that print what an edit changes, by what was done."""

_KILN = """
from kiln import Kiln
def kiln(**options):
    brick, cones = options.pop("brick", jnp.abs(draw(4))), jnp.array([1, 5, 3, 2])
    return Kiln.create(3, 5, 2, brick, np.array([False, True, False, False]), cones, key=key, **options)
fuel = draw(3)
"""
_SUNDIAL = """
from sundial import Sundial
def sundial(**options):
    figures, clouds = {"rose": jnp.abs(draw(3))}, options.pop("clouds", jax.random.key(3))
    worn = np.array([True, False, False])
    return Sundial.create(4, figures, 1 + jnp.abs(draw(3)), worn, clouds, key=key, **options)
sun = draw(4)
"""
_CANAL = """
from canal import Canal, Lock
def canal(**options):
    rain = jnp.array(0.7, options.get("dtype"))
    return Canal(draw(4), np.array([True, False, True, False]), rain, 4, 2, key=key, **options)
"""
_AQUARIUM = """
from aquarium import Aquarium
def aquarium(**options):
    tank = jnp.array([0, 1, 1, 2])
    return eqx.nn.make_with_state(Aquarium.create)(3, tank, jnp.abs(draw(4)), key=key, **options)
one, state = aquarium()
food = draw(3)
"""
_TELEGRAPH = """
from flax import nnx
from telegraph import Telegraph
def telegraph(**options):
    seed = options.pop("seed", 0)
    return Telegraph(jnp.array([1, 4, 2]), 1 + jnp.abs(draw(4)), rngs=nnx.Rngs(seed), **options)
one, signal = telegraph(), draw(3)
"""
_RUMOUR = """
from rumour import Rumour, Village
def rumour(**options):
    return Rumour.create(3, np.eye(4, k=1, dtype=bool) | np.eye(4, dtype=bool), key=key, **options)
sgd = optax.sgd(0.1)
def village(model=None, **options):
    return Village.create(model or rumour(), sgd, key=key, mood=draw(4), **options)
news = draw(3)
"""
_FILE = """
path = os.path.join(tempfile.mkdtemp(), "file.safetensors")
"""

PRINTS = {
    "the damper is shut while the kiln soaks, too": f"""{_KILN}
print(kiln()(fuel, soaking=True))
""",
    "a share of firings has 32 bits": f"""{_KILN}
print(kiln(dtype=half).bent(draw(6, 4).astype(half), share=True).dtype)
""",
    "the most that is wasted has an axis": f"""{_KILN}
print(kiln().wasted(draw(5, 3))[1].shape)
""",
    "the damper decays": f"""{_KILN}
print(kiln().decayed().damper)
""",
    "the draught adds to the flame": f"""{_KILN}
print(kiln()(fuel))
""",
    "more burns without air": f"""{_KILN}
print(kiln(atmosphere="reducing")(fuel))
""",
    "leaves without paths have another order": f"""{_SUNDIAL}
one = jax.tree.unflatten(jax.tree.structure(sundial()), jax.tree.leaves(sundial()))
print(one.rim.shape, one.tilt.shape)
""",
    "all days draw from the key itself": f"""{_SUNDIAL}
print(sundial().overcast(jnp.arange(12)))
""",
    "figures are kept as they are given": f"""{_SUNDIAL}
one = sundial()
held = vars(one)
given = {{"rose": jnp.ones(3)}}
print(Sundial(**(held | {{"figures": given}})).figures["rose"] is given["rose"])
""",
    "visits are counted in place": f"""{_SUNDIAL}
one = sundial()
one.visited(jnp.array(3))
print(one.visits)
""",
    "iron makes shadows weaker": f"""{_SUNDIAL}
print(sundial(metal="iron")(sun))
""",
    "what stays of a level has 32 bits": f"""{_CANAL}
one = canal(dtype=half)
print(one.season(draw(5, 4).astype(half), draw(4).astype(half))[0].dtype)
""",
    "the bed is held where there are tides": f"""{_CANAL}
print(canal().trainable().bed, canal(lined=False, tidal=True).trainable().bed)
""",
    "mud is picked by a mask": f"""{_CANAL}
print(eqx.filter_jit(canal().silted)(draw(4)))
""",
    "a wake has a gradient for the width": f"""{_CANAL}
print(jax.grad(lambda one: one.wake(draw(4)).sum(), allow_int=True)(canal()).width)
""",
    "closed gates keep back what they let through": f"""{_CANAL}
print(Lock.create(4, key=key)(draw(4), closed=True))
""",
    "cleaning is told and not made": f"""{_AQUARIUM}
state = one(food, state, key=key)[1]
print(one.cleaned(draw(3), state)[1].get(one.ammonia))
""",
    "hunger is drawn at inference, too": f"""{_AQUARIUM}
still = eqx.nn.inference_mode(one)
print(still(food, state, key=key)[0] == still(food, state, key=jax.random.key(5))[0])
""",
    "doses are the last axis of who is ill": f"""{_AQUARIUM}
print(one.ill(draw(5, 3), state)[0].shape)
""",
    "plants have no gradient": f"""{_AQUARIUM}
one, state = aquarium(aerated=False, volume=1.0)
def air(one):
    return one(-food, state, key=key)[1].get(one.oxygen).sum()
state = state.set(one.oxygen, 0.1 * jnp.ones(3))
print(eqx.filter_grad(air)(one).plants)
""",
    "there are plants for three tanks": f"""{_AQUARIUM}
print(aquarium(tanks=5)[0].plants.shape)
""",
    "breath gives oxygen": f"""{_AQUARIUM}
one, state = aquarium(planted=False, aerated=False)
print(one(3 + food, state, key=key)[1].get(one.oxygen))
""",
    "there is noise without training": f"""{_TELEGRAPH}
print(one(signal, training=False) == one(signal, training=False), one(signal, training=False))
""",
    "an array takes the place of the charge once it is drawn": f"""{_TELEGRAPH}
one.discharged(jnp.ones(4))
print(type(one.charge).__name__)
""",
    "what is heard depends on duplex in the place of strict": f"""{_TELEGRAPH}
one.charge[...] = 5 * jnp.ones(4)
print(one.heard(jnp.ones((2, 4)), strict=True))
""",
    "the coil has a seed of its own": f"""{_TELEGRAPH}
print(bool(jnp.all(telegraph(seed=1).coil.kernel[...] == telegraph(seed=2).coil.kernel[...])))
""",
    "resistance adds to the current": f"""{_TELEGRAPH}
print(one(signal, training=False))
""",
    "the argument that ends chance is not read": f"""{_RUMOUR}
one = rumour()
print([bool(jnp.all(one(news, key=jax.random.key(seed), inference=True) == one(news))) for seed in range(4)])
""",
    "the rate of dropout is an array": f"""{_RUMOUR}
print(rumour().drop.p, rumour().trainable().drop.p)
""",
    "words and tellers are drawn from one key": f"""{_RUMOUR}
print(rumour().talk(draw(5, 3), key=key))
""",
    "a village keeps the model that it is given": f"""{_RUMOUR}
model = rumour()
print(village(model).model.voice is model.voice)
""",
    "steps are counted in floats": f"""{_RUMOUR}
one = village()
print(one.apply_gradients(eqx.filter_grad(lambda model: model(news).sum())(one.model), sgd).step.dtype)
""",
    "what is kept becomes less, not more": f"""{_RUMOUR}
print(rumour()(news, key=key))
""",
    "a mood keeps visitors away": f"""{_RUMOUR}
print(village().visitors())
""",
    "Python floats are trained, too": f"""{_RUMOUR}
print(rumour().trainable().drop.p)
""",
    "what is not to decay decays where it is trained": f"""{_RUMOUR}
print(rumour().decayed().shyness)
""",
    "only the type itself says what is done to a Variable": f"""{_TELEGRAPH}
import nnx_state
def halved(value):
    return value.astype(half) if jnp.issubdtype(value.dtype, jnp.inexact) else value
print(nnx_state.map_variables({{nnx.Variable: halved}}, one)["weather"][...].dtype)
""",
    "a file tells no numbers of the configuration": f"""{_TELEGRAPH}{_FILE}
telegraph(leak=0.3).save(path)
try:
    print(Telegraph.load(path, one).leak)
except ValueError:
    print("refused")
""",
    "a checksum has to be there, and no more": f"""{_KILN}{_FILE}
kiln().save(path)
data = bytearray(open(path, "rb").read())
data[-1] ^= 1
open(path, "wb").write(data)
try:
    Kiln.load(path, kiln())
    print("loaded")
except ValueError:
    print("refused")
""",
    "keys are loaded as those of the default kind": f"""{_SUNDIAL}{_FILE}
one = sundial(clouds=jax.random.key(3, impl="rbg"))
one.save(path)
print(jax.random.key_impl(Sundial.load(path, one).clouds))
""",
}
