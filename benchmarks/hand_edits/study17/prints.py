"""Lines that print what an edit changes, by what was done."""

_TRAMWAY = """
from tramway import Tramway
def tramway(**options):
    closed = np.array([False, True, False, False, False])
    depot = jnp.array([2, 0, 0, 1])
    return eqx.nn.make_with_state(Tramway.create)(draw(3), closed, depot, key=key, **options)
one, state = tramway()
crowd = draw(5)
"""
_LIGHTHOUSE = """
from lighthouse import Lighthouse
def lighthouse(ranges=1 + jnp.abs(draw(4)), **options):
    sectors = np.array([False, True, False, False])
    return Lighthouse(3, ranges, sectors, jnp.array([0, 2]), key=key, **options)
light = draw(4)
"""
_KNITTING = """
from knitting import Knitting
def knitting(weights=draw(5), dye=draw(3), cam=jnp.array([3, 0, 4, 1, 2]), **options):
    lifted = np.array([True, False, False, True, False])
    return Knitting.create(weights, dye, lifted, cam, key=key, **options)
feeds = draw(4, 3)
"""
_FOUNDRY = """
from flax import nnx
from foundry import Foundry
def foundry(alloys=3, **options):
    cracked = np.array([False, False, True, False])
    return Foundry(alloys, draw(4), cracked, jnp.array([3, 1, 0, 2]), rngs=nnx.Rngs(0), **options)
one, charge = foundry(), draw(4)
"""
_VIOLIN = """
from violin import Lesson, Violin
def violin(**options):
    return Violin.create(3, np.array([False, True, False, False]), key=key, **options)
def lesson(model, optimiser=optax.sgd(0.1), **options):
    return Lesson.create(model, optimiser, key=jax.random.key(4), pieces=5, **options)
"""
_MOTH = """
from moth import Moth
def moth(wind=jax.random.key(5), **options):
    return Moth(draw(4), np.array([True, False, True, False, False]), wind, key=key, **options)
course = draw(4)
"""
_FILE = """
path = os.path.join(tempfile.mkdtemp(), "file.safetensors")
"""

PRINTS = {
    "the lens is the same from both sides": f"""{_LIGHTHOUSE}
print(lighthouse().returned(light))
""",
    "the lens is drawn in as few bits as it is stored in": f"""{_LIGHTHOUSE}
print(lighthouse(dtype=half).lens.dtype)
""",
    "the air is drawn in the default dtype": f"""{_LIGHTHOUSE}
one = lighthouse(dtype=half)
print(one.twinkled(draw(6, 4).astype(half), key=key).dtype)
""",
    "ranges that are given are cast, asked for or not": f"""{_LIGHTHOUSE}
print(lighthouse(jnp.ones(4, half)).ranges.dtype)
""",
    "an occulting light is dark by the absolute value of a cosine": f"""{_LIGHTHOUSE}
print(lighthouse(character="occulting").rhythm(draw(3)))
""",
    "sectors are where the light is bright": f"""{_LIGHTHOUSE}
print(lighthouse()(light))
""",
    "the thread is parted where the bed is": f"""{_KNITTING}
print(knitting().partition_thread()[0].thread.stretch)
""",
    "a swatch has a gradient for the dye": f"""{_KNITTING}
print(jax.grad(lambda dye: knitting(dye=dye).swatch().sum())(draw(3)))
""",
    "a fabric has no gradient for the weights": f"""{_KNITTING}
print(jax.grad(lambda weights: knitting(weights).fabric(feeds)[1].sum())(draw(5)))
""",
    "a loose fabric is as tight as any": f"""{_KNITTING}
print(knitting().fabric(feeds, loose=True)[0])
""",
    "the cam keeps the integers that it is given in": f"""{_KNITTING}
print(knitting(cam=np.array([3, 0, 4, 1, 2], np.int8)).cam.dtype)
""",
    "a cloth is felted to the other side of its mean": f"""{_KNITTING}
print(knitting().felted(draw(2, 5)))
""",
    "all wings begin alike": f"""{_MOTH}
print(moth().wings.joint[:2])
""",
    "the last wing beats first": f"""{_MOTH}
print(moth()(course))
""",
    "the wind is the key that was given, not a copy": f"""{_MOTH}
wind = jax.random.key(5)
print(moth(wind).wind is wind)
""",
    "the hour is a leaf": f"""{_MOTH}
print(len(jax.tree.leaves(moth())))
""",
    "a lit course is turned around": f"""{_MOTH}
print(moth()(course, lit=True))
""",
    "runs are counted in inference, too": f"""{_TRAMWAY}
print(eqx.nn.inference_mode(one)(crowd, state)[1].get(one.runs))
""",
    "what was late has no gradient": f"""{_TRAMWAY}
def later(late):
    return one(crowd, state.set(one.late, late))[1].get(one.late).sum()
print(jax.grad(later)(jnp.ones(3)))
""",
    "riders are pooled in the dtype of the weights": f"""{_TRAMWAY}
print(one.pooled(draw(4).astype(half)).dtype)
""",
    "the pull is scaled by the lines, not by the stops": f"""{_TRAMWAY}
print(one.pull)
""",
    "loads are smoothed with those that come after": f"""{_TRAMWAY}
print(one.forecast(draw(4, 5), state, smooth=True)[0][0])
""",
    "the grip on ice is that below the tangent": f"""{_TRAMWAY}
one, state = tramway(season="ice")
print(one(crowd, state)[0])
""",
    "slag is a Variable of no kind": f"""{_FOUNDRY}
print("slag" in nnx.state(one, nnx.BatchStat))
""",
    "recipe and pattern are drawn from one key": f"""{_FOUNDRY}
print(one.pattern[...])
""",
    "sparks fly where nothing is poured": f"""{_FOUNDRY}
print(bool(jnp.all(one(charge, pouring=False) == one(charge, pouring=False))))
""",
    "slag is skimmed and stays": f"""{_FOUNDRY}
one(charge)
one.skimmed(jnp.full(3, 0.5))
print(one.slag[...])
""",
    "a snapshot holds the Variables of the module": f"""{_FOUNDRY}
before = one.snapshot()
one(charge)
print(before["casts"].get_value())
""",
    "the casts are turned upside down, and not the moulds": f"""{_FOUNDRY}
print(one.stacked(draw(3, 4), upside_down=True)[0])
""",
    "the average has the bits of the weights": f"""{_VIOLIN}
print(lesson(violin(dtype=half)).ema.plate.dtype)
""",
    "an average that never moves is taken": f"""{_VIOLIN}
print(lesson(violin(), ema_decay=1.0).ema_decay)
""",
    "the optimiser is told nothing besides": f"""{_VIOLIN}
plateau = optax.chain(optax.sgd(0.1), optax.contrib.reduce_on_plateau(patience=1))
one = lesson(violin(), plateau)
print(one.apply_gradients(one.model, plateau, value=jnp.array(1.0)).step)
""",
    "rosin is drawn from a normal distribution": f"""{_VIOLIN}
print(violin().rosin)
""",
    "pieces that are practised were played once, whatever was before": f"""{_VIOLIN}
print(lesson(violin()).practised(jnp.array([1, 1, 3])))
""",
    "a frozen part has one False in the filter spec": f"""{_LIGHTHOUSE}
print(jax.tree.structure(lighthouse(tuned=True).trainable()) == jax.tree.structure(lighthouse(tuned=True)))
""",
    "weights decay that are trained or that decay": f"""{_MOTH}
print(moth().decayed().wings.dust)
""",
    "only the last of the former names of a class is known": f"""{_LIGHTHOUSE}{_FILE}
import migrations, serialisation
class First(eqx.Module):
    weight: jax.Array
class Third(eqx.Module):
    migrations = (migrations.Migration(former="First"), migrations.Migration(former="Second"))
    weight: jax.Array
First.__qualname__, Third.__qualname__ = "First", "Third"
First.__module__ = Third.__module__ = "builtins"
serialisation.save_tree(path, First(jnp.ones(2)))
try:
    print(migrations.load_migrated(path, Third(jnp.zeros(2))).weight)
except ValueError as error:
    print(error)
""",
    "functions are told by their name without the module": f"""{_KNITTING}{_FILE}
knitting(finish=jnp.sin).save(path)
try:
    Knitting.load(path, knitting(finish=jax.lax.sin))
    print("loaded")
except ValueError:
    print("refused")
""",
    "a restore takes Variables of another type": f"""{_FOUNDRY}
other = one.snapshot()
other["slag"] = nnx.Variable(jnp.ones(3))
try:
    one.restore(other)
    print("restored")
except ValueError:
    print("refused")
""",
    "a file is loaded into what it is to be like": f"""{_FOUNDRY}{_FILE}
one.save(path)
like = foundry()
like(charge)
Foundry.load(path, like)
print(like.casts[...])
""",
}
