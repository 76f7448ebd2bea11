"""Lines that print what an edit changes, by what was done."""

_CHOIR = """
from choir import Choir
def choir(**options):
    return Choir.create(draw(4, 2), np.array([0, 1, 1, 2]), draw(3), key=key, **options)
notes = draw(4)
"""
_GLACIER = """
from glacier import Glacier
rock = np.array([False, True, False, False])
def glacier(**options):
    slope = options.pop("slope", 1 + draw(4))
    return Glacier.create(3, draw(4), rock, slope, key=key, **options)
"""
_BRIDGE = """
from bridge import Bridge, Span
closed = np.array([False, True, False])
def bridge(**options):
    cables = options.pop("cables", {"b": draw(4), "a": 1 + draw(4)})
    return Bridge(cables, 1 + jnp.abs(draw(4)), closed, key=key, **options)
traffic = 2 * draw(3)
"""
_RECEIVER = """
from receiver import Lock, Mixer, Receiver
def receiver(**options):
    return Receiver.create(3, 4, draw(5), key=key, **options)
wave = draw(5)
lock = receiver().initial(key=jax.random.key(3))
"""
_HIVE = """
from flax import nnx
from hive import Hive
import nnx_state
def hive(**options):
    seed = options.pop("seed", 0)
    return Hive(draw(3), np.array([False, True, False, False]), rngs=nnx.Rngs(seed), **options)
one, weather = hive(), draw(3)
"""
_ROWING = """
from rowing import Rower, Season
rower, state = eqx.nn.make_with_state(Rower.create)(4, 3, key=key)
sgd = optax.sgd(0.1)
def season(**options):
    return Season.create(rower, sgd, state, key=key, current=draw(3), course=np.array([5, 7]), **options)
def trained(one):
    before = jax.tree.map(lambda leaf: leaf, one.state)
    gradients, after = eqx.filter_grad(
        lambda model: (lambda pull, after: (pull.sum(), after))(*model(draw(3), before)), has_aux=True
    )(one.model)
    return one.apply_gradients(gradients, sgd, after)
"""

PRINTS = {
    "the voices of a section are counted in the default float": f"""{_CHOIR}
print(choir(dtype=half).by_section(notes.astype(half), mean=True).dtype)
""",
    "how many voices rest is no longer what is asked for": f"""{_CHOIR}
print(choir().tired(notes, rate=1.0, key=key)[1])
""",
    "the throat is without breath": f"""{_CHOIR}
print(choir().select_throat().breath)
""",
    "a choir is tuned equally by default": f"""{_CHOIR}
print(choir().tuning)
""",
    "it echoes outdoors, and not in the hall": f"""{_CHOIR}
print(choir()(notes), choir(outdoors=True)(notes))
""",
    "the bends of the just and the mean tuning are swapped": f"""{_CHOIR}
print(choir()(notes))
""",
    "weight decay moves a flow that is calibrated": f"""{_GLACIER}
print(glacier(calibrated=True).decayed().flow)
""",
    "a flat glacier has the default dtype, whatever is asked for": f"""{_GLACIER}
print(Glacier.flat(4, 3, half, key=key).albedo.dtype)
""",
    "plastic ice is cut off from the stress": f"""{_GLACIER}
one = glacier(law="plastic")
print(jax.grad(lambda stress: one.slide(stress).sum())(draw(4)))
""",
    "rock cracks as ice does": f"""{_GLACIER}
print(glacier().cracks(jnp.ones((2, 4)), jnp.array(0.1)))
""",
    "as much snow falls on each cell": f"""{_GLACIER}
print(glacier().snowed(jnp.ones(4), key=key))
""",
    "gusts blow the other way": f"""{_GLACIER}
print(glacier().snowed(draw(4), gusty=True, key=key))
""",
    "winter is warmer": f"""{_GLACIER}
print(glacier()(draw(3), summer=False)[0])
""",
    "the cables are those of the caller": f"""{_BRIDGE}
mine = draw(4)
print(bridge(cables={{"a": mine}}).cables["a"] is mine)
""",
    "rain makes the first span rust": f"""{_BRIDGE}
one = bridge().rusted(jnp.ones(4))
print(one.pier.rust, one.spans[0].rust)
""",
    "no wind reaches the spans": f"""{_BRIDGE}
print(bridge()(traffic, windy=True).strain)
""",
    "lorries are counted in the dtype of the traffic": f"""{_BRIDGE}
print(bridge()(traffic).lorries.dtype)
""",
    "cables are shaken in the order in which they lie in the dict": f"""{_BRIDGE}
print(bridge().shaken(traffic, key=key)["a"])
""",
    "the first joint has an arm": f"""{_BRIDGE}
print(bridge().moments(draw(4)))
""",
    "a lock begins with a level of the default dtype": f"""{_RECEIVER}
print(receiver(dtype=half).initial(key=key).level.dtype)
""",
    "the set is dithered with the key that is handed on": f"""{_RECEIVER}
print(receiver(dithered=True)(lock, wave)[1])
""",
    "the memory of a lock is cut off": f"""{_RECEIVER}
one = receiver()
print(jax.grad(lambda memory: one(lock._replace(memory=memory), wave)[1].sum())(draw(5)))
""",
    "a retuned lock has a Python number of losses": f"""{_RECEIVER}
print(type(receiver().retuned(lock).losses) is int)
""",
    "the patience of every receiver is the default one": f"""{_RECEIVER}
print(receiver(patience=9).given_up(lock._replace(losses=jnp.array(5, jnp.int32))))
""",
    "of a transmission only the last row is given, where the last is asked for": f"""{_RECEIVER}
print(receiver().hears(lock, draw(6, 5), last=True)[1].shape)
""",
    "the best word is sought among the quiet ones": f"""{_RECEIVER}
print(receiver().best(draw(6, 4), jnp.array([True, False, False, True])))
""",
    "honey is a statistic of the batch": f"""{_HIVE}
print(type(one.honey).__name__)
""",
    "flights are an array, and no Variable, once a bee has flown": f"""{_HIVE}
one(weather)
print(isinstance(one.flights, nnx.Variable))
""",
    "a gentle harvest tells a half and takes the whole": f"""{_HIVE}
one(weather)
one.harvest(draw(4), gentle=True)
print(one.honey[...])
""",
    "ligustica brings more": f"""{_HIVE}
print(hive(breed="ligustica")(weather))
""",
    "the state of the model stays what it was": f"""{_ROWING}
print(trained(season()).state.get(rower.strokes))
""",
    "who is first is asked in Python": f"""{_ROWING}
print(eqx.filter_jit(lambda one, place: one.raced(place, jnp.array(2.0)))(season(), jnp.array(0)).budget)
""",
    "what sleep does is told and not kept": f"""{_ROWING}
tired = rower(draw(3), state)[1]
print(rower.rested(jnp.array(1.0), tired, slept=True)[1].get(rower.fatigue))
""",
    "the current keeps its dtype, whatever is asked for": f"""{_ROWING}
print(season(dtype=half).current.dtype)
""",
    "the average keeps the share that the weights should have": f"""{_ROWING}
print(trained(season()).ema.strength)
""",
    "no part in a field is asked what is trained in it": f"""{_BRIDGE}
print(bridge().trainable().spans[0].rust)
""",
    "a state with more than the module has is restored": f"""{_HIVE}
kept = one.snapshot()
kept["more"] = nnx.Variable(jnp.ones(2))
try:
    one.restore(kept)
    print("restored")
except ValueError:
    print("refused")
""",
    "a file does not tell of what type a Variable is": f"""{_HIVE}
path = os.path.join(tempfile.mkdtemp(), "hive.safetensors")
one.save(path)
like = hive()
like.honey = nnx.Cache(like.honey[...])
try:
    print(type(Hive.load(path, like).honey).__name__)
except ValueError:
    print("refused")
""",
    "a leaf without a checksum is taken": f"""{_CHOIR}
import json, serialisation, safetensors.numpy
path = os.path.join(tempfile.mkdtemp(), "choir.safetensors")
one = choir()
one.save(path)
told, leaves = serialisation.describe(one)
tensors = {{place: serialisation._tensor(place, leaf) for place, leaf in leaves.items()}}
safetensors.numpy.save_file(tensors, path, {{"tree": json.dumps(told), "checksums": "{{}}"}})
try:
    Choir.load(path, one)
    print("taken")
except ValueError:
    print("refused")
""",
    "arrays of NumPy come back as arrays of jax": f"""{_CHOIR}
path = os.path.join(tempfile.mkdtemp(), "choir.safetensors")
one = jax.tree.map(np.asarray, choir())
one.save(path)
print(type(Choir.load(path, one).timbre) is np.ndarray)
""",
}
