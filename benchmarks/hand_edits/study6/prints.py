"""Lines that print what an edit changes, by what was done."""

_HAMILTONIAN = """
from hamiltonian import Hamiltonian
def system(**options):
    return Hamiltonian.create(4, draw(3), key=key, **options)
q, p = draw(3), 2 * draw(3)
name = os.path.join(tempfile.mkdtemp(), "system")
"""
_CAMERA = """
from camera import Camera
def camera(place=jnp.zeros(3), broken=np.zeros((7, 5), bool), **options):
    return Camera.create(jnp.eye(3), place, broken, **options)
points = jnp.array([[0.5, 1.5, 1.0], [1.0, 0.1, 2.0]])
name = os.path.join(tempfile.mkdtemp(), "camera")
"""
_SPEECH = """
from speech import Speech
model = Speech(5, 2, 7, draw(3), key=key, bands=3)
sound = draw(11, 3) + 1
"""
_SPIKING = """
from flax import nnx
from spiking import Spiking
def spiking(**options):
    return Spiking(2, 3, rngs=nnx.Rngs(0), **options)
layer, xs = spiking(), draw(5, 2)
name = os.path.join(tempfile.mkdtemp(), "layer")
"""
_AGENT = """
from agent import Agent, Scaler
def made(kind, *sizes, **options):
    return eqx.nn.make_with_state(kind)(*sizes, **options)
agent, state = made(Agent, 3, 4, 2, draw(3), key=key)
scaler, seen = made(Scaler.create, 3)
x = draw(6, 3)
"""
_TEACHER = """
from teacher import Classifier, Teaching
model = Classifier.create(4, 3, 2, key=key)
optimiser = optax.adam(0.1)
def teaching(model=model, key=key):
    return Teaching.create(model, optimiser, key=key, share=jnp.ones(2))
x = draw(3)
name = os.path.join(tempfile.mkdtemp(), "teaching")
"""

PRINTS: dict[str, str] = {
    "the energy of the rest has a gradient with respect to the rest": _HAMILTONIAN
    + "print(eqx.filter_grad(lambda one: one.energy(q, p, relative=True))(system()).rest)",
    "the group leaves out the offset": _HAMILTONIAN + "print(system().select_landscape().offset)",
    "both weights are drawn from one key": _HAMILTONIAN + "print(system().outer)",
    "there are always three steps": _HAMILTONIAN + "print(system().rollout(q, p, 5).shape)",
    "Euler's method multiplies by the mass": _HAMILTONIAN + "print(system(scheme='euler')(q, p))",
    "the last kick is a whole one": _HAMILTONIAN + "print(system()(q, p))",
    "a file that cannot be written whole has already replaced the old one": _HAMILTONIAN
    + """
import safetensors.numpy
system().save(name)
before = os.path.getsize(name)
def broken(tensors, name, metadata):
    open(name, "wb").write(b"half")
    raise RuntimeError
right, safetensors.numpy.save_file = safetensors.numpy.save_file, broken
try:
    system().save(name)
except RuntimeError:
    pass
safetensors.numpy.save_file = right
print(os.path.getsize(name) == before)
""",
    "a camera that is moved has focal length and centre exchanged": _CAMERA
    + "print(camera().moved(jnp.ones(3)).focal)",
    "without keys the centre is listed before the focal length": _CAMERA
    + "print(jax.tree.map(lambda leaf: leaf, camera()).focal)",
    "broken pixels see": _CAMERA + "print(camera(broken=np.ones((7, 5), bool)).visible(points, strict=True))",
    "rays are computed in 32 bits": _CAMERA + "print(camera(dtype=half).rays(draw(2, 2).astype(half)).dtype)",
    "the fisheye widens the angle": _CAMERA + "print(camera(lens='fisheye')(points))",
    "rows and columns of pixels are exchanged": _CAMERA
    + "broken = np.zeros((7, 5), bool); broken[3, 1] = True\n"
    + "print(camera(broken=broken).visible(points, strict=True))",
    "only the first difference is told": _CAMERA
    + """
camera().save(name)
try:
    Camera.load(name, camera(lens="fisheye", broken=np.ones((2, 2), bool)))
except ValueError as error:
    print(len(str(error).splitlines()))
""",
    "the convolution is computed as the kernel is stored": _SPEECH
    + "print(jax.make_jaxpr(lambda one: one(sound))(model).pretty_print().count('f32[11,5] = mul'))",
    "nothing is computed again on the way back": _SPEECH
    + "print(jax.make_jaxpr(lambda one: one(sound))(model).pretty_print().count('remat'))",
    "the scores have no gradient with respect to the tokens": _SPEECH
    + "print(eqx.filter_grad(lambda one: one(sound)[1, 0])(model).tokens)",
    "all blocks begin alike": _SPEECH + "print(model.blocks.kernel[1])",
    "the first frame counts as a repetition": _SPEECH + "print(model.best(sound, collapse=True)[0])",
    "neurons at rest still count from before": _SPIKING + "layer(xs); layer.rest(); print(layer.ticks[...])",
    "the gain is no parameter": _SPIKING + "print('gain' in nnx.state(layer, nnx.Param))",
    "the threshold adapts only where spikes lower the voltage": _SPIKING
    + "layer = spiking(soft=False); layer(xs); print(layer.threshold[...])",
    "each tick makes a new Variable for the voltage": _SPIKING
    + "held = layer.voltage; layer(xs); print(held is layer.voltage)",
    "a snapshot follows the module": _SPIKING
    + "before = layer.snapshot(); layer(xs); print(before['ticks'].get_value())",
    "the threshold follows spikes as fast as it should be slow": _SPIKING + "print(layer(xs)[-1])",
    "a function for a kind of Variable leaves out its subclasses": _SPIKING
    + "from nnx_state import map_variables\n"
    + "print(map_variables({nnx.Variable: lambda value: value + 5}, layer)['ticks'].get_value())",
    "a file says nothing of plain attributes": _SPIKING
    + "layer.save(name)\nprint(Spiking.load(name, spiking(leak=0.5)).leak)",
    "batches are taken into account in inference as well": _AGENT
    + "print(eqx.nn.inference_mode(scaler)(x, seen)[1].get(scaler.count))",
    "the deviation of nothing divides by zero": _AGENT + "print(scaler.deviation(seen)[0])",
    "the goal moves the trunk even where values are detached": _AGENT
    + "print(eqx.filter_grad(lambda one: jnp.sum(one.values(x, detached=True)))(agent).trunk)",
    "two means that are apart add too little to the squares": _AGENT
    + "seen = scaler(x, seen)[1]\nprint(scaler(x + 3, seen)[0])",
    "fields that are named as not trained are trained": _AGENT + "print(agent.trainable().goal)",
    "whatever is not named decays, trained or not": _AGENT + "print(agent.decayed().goal)",
    "both views are moved by the same noise": _TEACHER + "print(teaching().views(x))",
    "the student teaches itself": _TEACHER
    + "state = teaching()\n"
    + "moved = eqx.tree_at(lambda one: one.model.head, state, draw(2, 4))\n"
    + "print(moved.teach(x))",
    "the model is not copied": _TEACHER + "print(teaching().model.head is model.head)",
    "the average has as few bits as the weights": _TEACHER
    + "print(teaching(Classifier.create(4, 3, 2, dtype=half, key=key)).ema.head.dtype)",
    "the labels are counted by a Python number": _TEACHER + "print(type(teaching().told).__name__)",
    "what the teacher is sure of counts less": _TEACHER + "print(teaching().loss(x))",
    "a key comes back as one of the default implementation": _TEACHER
    + "state = teaching(key=jax.random.key(0, impl='rbg'))\nstate.save(name)\n"
    + "print(jax.random.key_impl(Teaching.load(name, state).key))",
}
