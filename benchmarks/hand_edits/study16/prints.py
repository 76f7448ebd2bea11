"""Lines that print what an edit changes, by what was done."""

_VINEYARD = """
from vineyard import Vineyard
def vineyard(**options):
    shaded = np.array([False, True, False, False])
    return eqx.nn.make_with_state(Vineyard.create)(3, 1 + jnp.abs(draw(4)), shaded, key=key, **options)
one, state = vineyard()
heat = draw(3)
"""
_DOSAGE = """
from dosage import Dosage
def dosage(barrier=(False, True, False, False), **options):
    return Dosage(3, 1 + jnp.abs(draw(4)), jnp.array([0, 2]), np.array(barrier), key=key, **options)
dose, level = draw(3), draw(4)
"""
_ORGAN = """
from organ import Organ
def organ(**options):
    drawn = np.array([True, True, False])
    return Organ.create(draw(3), 0.3 * draw(5), drawn, jnp.array([2, 0, 1]), key=key, **options)
keys = draw(5)
"""
_PRINTER = """
from flax import nnx
from printer import Printer
def printer(seed=0, **options):
    blocked = np.array([False, False, True, False])
    return Printer(3, 1 + jnp.abs(draw(4)), blocked, jnp.array([3, 1, 0, 2]), rngs=nnx.Rngs(seed), **options)
one, colour = printer(), draw(3)
"""
_CORAL = """
from coral import Reef, Season
def reef(**options):
    return Reef.create(3, np.array([False, True, False, False]), key=key, **options)
def season(model):
    return Season.create(model, optax.sgd(0.1), key=jax.random.key(4), spots=5)
light = draw(3)
"""
_STARLINGS = """
from starlings import Starlings
def starlings(weather=jax.random.key(5), **options):
    leaders = np.array([True, False, True, False, False])
    return Starlings(draw(6), leaders, weather, key=key, **options)
places = draw(5, 6)
"""
_FILE = """
path = os.path.join(tempfile.mkdtemp(), "file.safetensors")
"""

PRINTS = {
    "binding is frozen, validated or not": f"""{_DOSAGE}
print(dosage(validated=False).trainable().binding.weight)
""",
    "leaks are never negative": f"""{_DOSAGE}
print(dosage().leak)
""",
    "what flows out has no gradient for the exchange": f"""{_DOSAGE}
print(eqx.filter_grad(lambda one: one.course(level)[0].sum())(dosage()).exchange)
""",
    "a plain body leaks": f"""{_DOSAGE}
print(Dosage.plain(4, 3, key=key).leak is None)
""",
    "the group names what is derived from one of its fields": f"""{_DOSAGE}
print(dosage().select_kinetics().raw_clearance)
""",
    "only the level is raised to the order": f"""{_DOSAGE}
print(dosage(elimination="saturable", order=3).cleared(level))
""",
    "a group makes arrays of what it is rebuilt from": f"""{_ORGAN}
print(jax.tree.map(lambda _: "leaf", organ()).voicing.loudness)
""",
    "stops and couplers change places where paths are asked for": f"""{_ORGAN}
one = jax.tree_util.tree_map_with_path(lambda path, leaf: leaf, organ())
print(one.drawn.dtype, one.couplers.dtype)
""",
    "every chamber is a hyperbolic tangent": f"""{_ORGAN}
print(organ(chamber=jnp.sin)(keys))
""",
    "a pitch has a gradient for the temperament": f"""{_ORGAN}
def high(temperament):
    return Organ.create(draw(3), temperament, np.ones(3, bool), jnp.arange(3), key=key).compass(1).sum()
print(jax.grad(high)(draw(5)))
""",
    "short pipes are low": f"""{_ORGAN}
print(organ().compass(jnp.array(1)))
""",
    "a rank that is coupled takes away from the other": f"""{_ORGAN}
print(organ()(keys, coupled=True))
""",
    "gusts are drawn from the hour alone": f"""{_STARLINGS}
print(starlings().gusts(jnp.arange(2)))
""",
    "how far the nearest is becomes a column": f"""{_STARLINGS}
print(starlings().followed(places)[1].shape)
""",
    "cohesion is cut off at one deviation": f"""{_STARLINGS}
print(jnp.max(jnp.abs(starlings().cohesion)))
""",
    "leaders look, and the others do not": f"""{_STARLINGS}
print(starlings().flocked(places, led=True))
""",
    "what a day gains is added in 32 bits": f"""{_VINEYARD}
one, state = vineyard(dtype=half)
print(one(heat.astype(half), state)[1].get(one.sugar).dtype)
""",
    "an outlook is what has happened": f"""{_VINEYARD}
print(one.outlook(1 + jnp.abs(draw(4, 3)), state)[1].get(one.sugar))
""",
    "plots bear one cold night": f"""{_VINEYARD}
print(one.frosted(jnp.array([[-1.0, -1, 1], [-1, -1, 1], [-1, 1, 1]])))
""",
    "bushes are refused": f"""{_VINEYARD}
print(vineyard(pruning="bush")[0].pruning)
""",
    "how vines face the sun is trained": f"""{_VINEYARD}
print(one.trainable().aspect)
""",
    "whether it is inference is static": f"""{_VINEYARD}
print(len(jax.tree.leaves(one)))
""",
    "nights are cold below the base, not below its negative": f"""{_VINEYARD}
print(one.frosted(jnp.zeros((4, 3))))
""",
    "the richest must is found before the skins are added": f"""{_VINEYARD}
grapes = jnp.array([[2.0, -3, -3, -3], [-1.0, -1, -1, -1]])
print(one.pressed(grapes, jnp.array(9.0)))
""",
    "a page of two sides is one page": f"""{_PRINTER}
one = printer(duplex=True)
one(colour)
print(one.pages[...])
""",
    "pigments are the same for every seed": f"""{_PRINTER}
print(bool(jnp.all(printer(0).pigment[...] == printer(1).pigment[...])))
""",
    "a profile is a kind of Param": f"""{_PRINTER}
print("curve" in nnx.state(one, nnx.Param))
""",
    "a refill puts in another Variable": f"""{_PRINTER}
tank = one.tank
one.refilled(jnp.ones(4))
print(one.tank is tank)
""",
    "the gap has no gradient": f"""{_PRINTER}
print(jax.grad(lambda gap: one.laid(draw(2, 4), gap)[1].sum())(jnp.array(0.7)))
""",
    "coarse dots are clipped to the levels of fine ones": f"""{_PRINTER}
print(one.halftoned(jnp.ones((1, 4)), coarse=True))
""",
    "the mirror hands no gradient on": f"""{_CORAL}
print(eqx.filter_grad(lambda one: one.reflected(light).sum())(reef()).polyps)
""",
    "larvae are mixed by the key of their luck": f"""{_CORAL}
print(reef().spawned(draw(6, 4), key=key, mixed=True))
""",
    "an averaged model has the bits of the average": f"""{_CORAL}
print(season(reef(dtype=half)).averaged().polyps.dtype)
""",
    "all steps have one key": f"""{_CORAL}
one = season(reef())
later = eqx.tree_at(lambda one: one.step, one, one.step + 1)
print(bool(one.step_key == later.step_key))
""",
    "the average takes the weights of before the step": f"""{_CORAL}
one = season(reef())
print(one.apply_gradients(jax.tree.map(jnp.ones_like, one.model), optax.sgd(0.1)).ema.polyps)
""",
    "keys are loaded as those of the default kind": f"""{_STARLINGS}{_FILE}
one = starlings(jax.random.key(5, impl="rbg"))
one.save(path)
print(Starlings.load(path, one).weather.dtype)
""",
    "layers do not answer for themselves where weights decay": f"""{_STARLINGS}
print(starlings().decayed().layers.drag)
""",
    "what lies below a field that was renamed stays behind": f"""{_DOSAGE}{_FILE}
import migrations, serialisation
one = dosage()
class Former(eqx.Module):
    bond: eqx.nn.Linear
class Later(eqx.Module):
    migrations = (migrations.Migration(renamed={{"bond": "binding"}}, former="Former"),)
    binding: eqx.nn.Linear
serialisation.save_tree(path, Former(one.binding))
like = Later(eqx.nn.Linear(4, 4, key=key))
try:
    print(bool(jnp.all(migrations.load_migrated(path, like).binding.weight == one.binding.weight)))
except ValueError as error:
    print(error)
""",
    "settings of the parts are not told in a file": f"""{_PRINTER}{_FILE}
one.save(path)
like = printer()
like.smear.rate = 0.9
try:
    Printer.load(path, like)
    print("loaded")
except ValueError:
    print("refused")
""",
    "a snapshot shares the Variables that it does not map": f"""{_PRINTER}
before = one.snapshot()
one(colour)
print(before["pages"].get_value())
""",
}
