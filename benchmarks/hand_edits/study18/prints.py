"""Lines that print what an edit changes, by what was done."""

_APIARY = """
from apiary import Apiary
def apiary(cells=4, **options):
    smoked = np.arange(cells) == 1
    return Apiary(1 + jnp.abs(draw(3)), smoked, jnp.array([[0, 2], [1, 0]]), key=key, **options)
meadow = draw(6, 3)
"""
_GLACIER = """
from glacier import Glacier
def glacier(resting=jnp.array([0, 3, 1]), snow=jax.random.key(5), **options):
    return Glacier(draw(4), np.array([True, False, False]), resting, snow, key=key, **options)
flow = draw(4)
"""
_CARAVAN = """
from caravan import Caravan
def caravan(chain=jnp.array([2, 0, 1, 3]), **options):
    lame = np.array([True, False, False, True])
    return Caravan.create(draw(4), draw(3), lame, chain, key=key, **options)
"""
_CARILLON = """
from carillon import Carillon
def carillon(**options):
    hung = np.array([True, True, False, True])
    return eqx.nn.make_with_state(Carillon.create)(
        3, 5, draw(4), hung, jnp.array([0, 3, 1]), key=key, **options)
one, state = carillon()
pressed = draw(2, 3)
def stroke(one, state, **options):
    return jax.vmap(lambda x, state: one(x, state, **options), (0, None), (0, None), axis_name="batch")(
        pressed, state)
"""
_REEF = """
from flax import nnx
from reef import Reef
def reef(moon=draw(3), **options):
    bleached = np.array([False, True, False, False])
    return Reef(moon, bleached, jnp.array([1, 0]), rngs=nnx.Rngs(0), **options)
one, water = reef(), draw(3)
"""
_PERFUMERY = """
from perfumery import Atelier, Perfume
def perfume(**options):
    return Perfume.create(4, np.array([False, True, False]), key=key, **options)
def atelier(model, optimiser=optax.sgd(0.1), **options):
    return Atelier.create(model, optimiser, key=jax.random.key(4), houses=3, **options)
"""
_FILE = """
path = os.path.join(tempfile.mkdtemp(), "file.safetensors")
"""

PRINTS = {
    "pollen has no gradient for the comb": f"""{_APIARY}
print(eqx.filter_grad(lambda one: one.returned(draw(4)).sum())(apiary()).comb[0])
""",
    "propolis is drawn up to three deviations": f"""{_APIARY}
print(float(jnp.max(jnp.abs(apiary(2000).propolis))) / 0.3 > 2.3, apiary().propolis)
""",
    "when a bee gains most is an integer of jax's default": f"""{_APIARY}
jax.config.update("jax_enable_x64", True)
print(apiary().travelled(meadow)[1].dtype)
""",
    "the queen is trained where she is crowned": f"""{_APIARY}
print(apiary(crowned=True).trainable().royal.weight)
""",
    "rain and wind are drawn with one key": f"""{_APIARY}
print(apiary().foraged(meadow, key=key)[:, 0])
""",
    "a bee gains at the first flower, and not at the last": f"""{_APIARY}
print(apiary().travelled(meadow)[0][0])
""",
    "cores of all strata are kept": f"""{_GLACIER}
print(glacier(kept=slice(1, None)).cores(flow).shape)
""",
    "the moraine is scaled by its stones": f"""{_GLACIER}
print(glacier().moraine[0])
""",
    "grit decays": f"""{_GLACIER}
print(glacier().decayed().strata.grit)
""",
    "strata crack as the snow falls, whatever the key": f"""{_GLACIER}
one = glacier()
print(bool(jnp.all(one.quaked(flow, key=jax.random.key(1)) == one.quaked(flow, key=jax.random.key(2)))))
""",
    "more stones may rest than there are": f"""{_GLACIER}
print(glacier(jnp.array([0, 3, 1, 2])).resting.shape)
""",
    "what a quake computes is kept for the way back": f"""{_GLACIER}
one = glacier()
text = str(jax.make_jaxpr(lambda flow: one.quaked(flow, key=key))(flow))
print("checkpoint" in text or "remat" in text)
""",
    "a surge gathers from the other side": f"""{_GLACIER}
print(glacier(era="surge")(flow))
""",
    "a limit below zero calves at once": f"""{_GLACIER}
print(glacier().calved(flow, jnp.array(-10.0)))
""",
    "worth is registered as value": f"""{_CARAVAN}
print(caravan().select_load().worth)
""",
    "the chain is not copied": f"""{_CARAVAN}
chain = jnp.array([2, 0, 1, 3])
print(caravan(chain).chain is chain)
""",
    "what is paid has no gradient for the worth": f"""{_CARAVAN}
print(jax.grad(lambda one: one.bartered(draw(5, 3), key=key).sum(), allow_int=True)(caravan()).worth)
""",
    "a new caravan sings cosines": f"""{_CARAVAN}
print(caravan().song.__name__)
""",
    "a rest tells how strong the camels are, and not how strong they were": f"""{_CARAVAN}
print(caravan().rested(draw(4))[1])
""",
    "the level begins in jax's dtype": f"""{_CARILLON}
one, state = carillon(dtype=half)
print(state.get(one.level).dtype)
""",
    "hours are struck twice unless it is said": f"""{_CARILLON}
print(one.tolled(jnp.array([0, 1, 4]), state)[0])
""",
    "frost is drawn in the default dtype": f"""{_CARILLON}
print(one.mistuned(draw(5, 4).astype(half), key=key).dtype)
""",
    "a soft stroke is not padded": f"""{_CARILLON}
print(bool(jnp.all(stroke(one, state, soft=True)[0] == stroke(one, state)[0])))
""",
    "the clapper is made of the key that was split": f"""{_CARILLON}
print(one.clapper.swing[0])
""",
    "the bells ring of all blows of a batch together": f"""{_CARILLON}
print(stroke(one, state)[1].get(one.ringing))
""",
    "all terraces are one": f"""{_REEF}
print(one.terraces[0] is one.terraces[1])
""",
    "rinsed silt is a Variable of no kind": f"""{_REEF}
one.rinsed(draw(4))
print("silt" in nnx.state(one, nnx.BatchStat))
""",
    "corals grow on a slope as in a lagoon": f"""{_REEF}
print(reef(zone="slope").grown(draw(4)))
""",
    "the moon is cast to jax's dtype": f"""{_REEF}
print(reef(jnp.ones(3, half)).moon[...].dtype)
""",
    "a spring tide counts half of another": f"""{_REEF}
one = reef(spring=True)
one(water)
print(one.tides[...])
""",
    "currents cool by the days, and not by their square": f"""{_REEF}
print(one.warmed(draw(4))[:, 0])
""",
    "musk is read in few bits": f"""{_PERFUMERY}
print(perfume()(jnp.zeros(3)))
""",
    "a still that is not trained decays": f"""{_PERFUMERY}
print(perfume().decayed().still)
""",
    "the averaged model has the bits of the average": f"""{_PERFUMERY}
print(atelier(perfume(dtype=half)).averaged().accord.dtype)
""",
    "a house likes what the votes differ on": f"""{_PERFUMERY}
print(atelier(perfume()).judged(draw(5, 3)))
""",
    "an array that has no decayed() decays where it is a matrix": """
from weight_decay import decayed
print(decayed({"shift": jnp.ones(3), "table": jnp.ones((2, 2), int)}))
""",
    "a new field is known by the name with which it came": f"""{_FILE}
import migrations, serialisation
class First(eqx.Module):
    weight: jax.Array
class Last(eqx.Module):
    migrations = (
        migrations.Migration(former="First", added=("bias",)),
        migrations.Migration(renamed={{"bias": "shift"}}),
    )
    weight: jax.Array
    shift: jax.Array
First.__module__ = Last.__module__ = "builtins"
First.__qualname__, Last.__qualname__ = "First", "Last"
serialisation.save_tree(path, First(jnp.ones(2)))
try:
    print(migrations.load_migrated(path, Last(jnp.zeros(2), jnp.full(2, 3.0))).shift)
except ValueError as error:
    print("refused")
""",
    "keys come back as those of the default kind": f"""{_GLACIER}{_FILE}
one = glacier(snow=jax.random.key(3, impl="rbg"))
one.save(path)
try:
    print(Glacier.load(path, one).snow.dtype)
except (TypeError, ValueError):
    print("refused")
""",
    "the first kind that fits maps a Variable, and not the nearest": f"""{_REEF}
from nnx_state import map_variables
state = map_variables({{nnx.Variable: jnp.zeros_like, nnx.Param: lambda value: value}}, one)
print(state["lime"].get_value())
""",
    "a file does not tell the types of Variables": f"""{_REEF}{_FILE}
one.save(path)
like = reef()
like.silt = nnx.Variable(jnp.zeros(4))
try:
    Reef.load(path, like)
    print("loaded")
except ValueError:
    print("refused")
""",
}
