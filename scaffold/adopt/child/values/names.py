"""Regular expressions for argument names, and values by name if nothing else tells more."""

import re

KEY = re.compile(r"^(prng_?|rng_?)?keys?_?$|_key$|^rng$|^prng$")
BESIDE_KEYS = frozenset(("query", "queries", "value", "values", "val", "vals", "q", "v"))
"""Arguments beside which `key` is no random key, but is looked up, as in attention."""
CALLABLE = re.compile(
    r"(^|_)(fn|func|fun|function|activation|act|field|callable|closure|drift|diffusion)$|^f$|^g$"
)
MODULE = re.compile(
    r"^(layer|module|model|net|network|cell|block|inner|base|wrapped|encoder|decoder|func)s?$"
)
MATRIX = re.compile(r"cov|precision|matrix|tril|cholesky")
ROTATION = re.compile(r"(^|_)(rot|rotations?|rotmat|orientation)(_|$)")
"""Names of rotation matrices."""
DOCUMENTED_ORDER = re.compile(r"knots|ascending|increasing|sorted|monotonic", re.IGNORECASE)
"""Words by which a docstring says that the numbers of an argument ascend."""
DOCUMENTED_SCALAR = re.compile(r"\bscalar\b|\bdegrees of freedom\b", re.IGNORECASE)
DOCUMENTED_DEFINITE = re.compile(
    r"\bpositive[ -](semi[ -]?)?definite\b|(:|\bis|\bdenotes)\s+(an?\s+|the\s+)?(\w+\s+)?(covariance|precision) matri(x|ces)\b",
    re.IGNORECASE,
)
"""Words by which a docstring says that a matrix has an inverse and a Cholesky factor."""
DOCUMENTED_FLOAT = re.compile(r"\bfloat", re.IGNORECASE)
DOCUMENTED_WHOLE = re.compile(
    r"\b(integers?|u?int(8|16|32|64)?)\b|\bindices\b|\b(class|node|token|atom|item|category)[ _-]?(labels?|ids?|index)\b",
    re.IGNORECASE,
)
DOCUMENTED_FLAGS = re.compile(r"\b(bool(ean)?s?|binary)\b", re.IGNORECASE)
"""Words by which a docstring says that an array holds floats, indices or flags."""
DOCUMENTED_DOMAINS = {
    "jax.nn.softmax": re.compile(
        r"\bprobabilities\b(?! (above|below))|\bsimplex\b|\bsum(s|ming)? to (1|one)\b", re.IGNORECASE
    ),
    "jax.nn.sigmoid": re.compile(
        r"\b(a|the) probability\b|(\bin|within|between|range)\b[^\w\n]{0,4}[(\[]?0(\.0)?(,| and) ?1(\.0)?\b",
        re.IGNORECASE,
    ),
    "jnp.exp": re.compile(
        r"(?<!semi-)(?<!semi)\bpositive\b(?![- ](semi|def))|\bnon-?negative\b|\bcounts?\b(?! of)",
        re.IGNORECASE,
    ),
}
"""Words by which a docstring tells a domain, by the function that maps floats to the domain."""
SIZES = re.compile(r"(size|width|dims?|channels|hidden|units|features|resolution)$")
"""Names of arguments that are a size or several, such as `hidden`."""
FEATURES = re.compile(r"(size|dims?|dimensions?|dimensionality|features?|channels|width|units|hidden)$")
NO_FEATURES = re.compile(r"kernel|window|batch|chunk|pool|patch|vocab|step|block|buffer|stack|memory|max|out")
"""Names that `FEATURES` matches, but that are no sizes of features, such as `kernel_size`."""
PROBABILITIES = re.compile(r"(^|_)(probs?|probabilit(y|ies))$")
POSITIVE = re.compile(
    r"^(?!log_?|raw_|unconstrained_|delta_|d_|inv_softplus_)(.*_)?(radius|radii|diameters?|wave_?lengths?|lambd?|lambdas?|"
    r"thickness(es)?|mass(es)?|temperatures?|sigmas?|stds?|std_?devs?|scales?|length_?scales?|variances?|var|"
    r"bandwidths?|freqs?|frequency|frequencies|distances?|concentrations?|pressures?|volumes?|areas?|durations?|"
    r"half_extents|intensity|intensities|rates?|periods?|density|densities|stiffness|viscosity|conductivity|widths?|"
    r"lifetimes?|taus?)$"
)
"""Names of numbers that are positive by what they measure."""
SIGNED = re.compile(
    r"^[uvwxyz]\d?$|(^|_)(xs?|ys?|zs?|inputs?|obs|observations?|data|batch|images?|features?|embeddings?|points?|coord(inate)?s?|values?|"
    r"quer(y|ies)|targets?|outputs?|residuals?|positions?|pos|directions?|velocit(y|ies)|means?|mu|loc|weights?|bias(es)?|"
    r"kernels?|logits?|log_\w+|state|carry|hidden|tree|params|grads?|updates)$"
)
"""Names of inputs and of numbers of both signs."""
LIMITS = re.compile(r"(^|_)(lower|min|minimum|low)(_|$)"), re.compile(r"(^|_)(upper|max|maximum|high)(_|$)")
"""Names of dicts in which a class keeps the least and the greatest number of each parameter."""
COUNTED = re.compile(
    r"^(num|number_of)_|(^|_)counts?$|^nvec$|seq(uence)?_?len(gth)?s?$|(^|_)atomic_num(ber)?s?$"
)
"""Names of arrays of integers from 1 on, such as counts and atomic numbers."""
_COUNT = (
    r"^n(side|pix|bins?|layers?|heads?|dims?|feat\w*|hidden|channels?|steps?|points?|samples?|modes?|freqs?)$"
)
SIZED = re.compile(rf"_(size|len|length)$|^(num|n)_\w+$|{_COUNT}")
"""Names of arguments that are Python numbers, even in a call."""
FLAGS = re.compile(r"(^|_)masks?$|^(is|has)_|^(dones?|terminated|truncated)$")
"""Names of arrays of flags."""
SIDES = re.compile(r"sides|vertices|corners|polygon")
"""Names of counts of at least 3, such as the sides of a polygon."""
HALVED = re.compile(r"(^|_)(head_?(dim|size)|dim_head|d_head|rotary_dim|rope_dim)$")
"""Sizes of an attention head, which rotary embeddings halve: an even size always fits."""
INDEX = re.compile(
    r"^(i|j|idxs?|index|indices|ids?|tokens?|labels?|action|positions?|step|iteration)(_.*)?$|_(ids?|idx|index|indices|labels?)$"
)
PLACES = re.compile(r"^positions?$")
IN_SPACE = re.compile(
    r"^(rotation|orientation|direction|velocit|momentum|momenta|force|normal|quaternion|mass|charge|speed)"
)
"""Arguments beside which a position is a point in space, and no index of a token."""
EDGES = re.compile(r"^edge_(index|list)$")
"""Names of graph edges, as two rows: the source nodes and the target nodes."""
PERMUTATION = re.compile(r"(^|_)perm(utation)?$")
"""Names of permutations, which hold each index once."""
WHOLE = re.compile(r"(steps|periods?|iters?|iterations|epochs)$|(^|_)(every|num|n)_")
STATE = re.compile(r"^state$")
ALIKE = re.compile(r"^(other|rhs|lhs)$")
"""Names of arguments that are often of the same class as the instance."""
TIME = re.compile(r"^(t|t0|t1|ta|tb|time|dt|dt0|tprev|tnext)$")
"""Names of times, drawn between 0 and 1: noise and paths end at 1."""
LATER = re.compile(r"^(t1|tb|tnext)$")
"""Names of times that lie after other times."""
TIMES = re.compile(r"^(ts|times|timestamps)$")

ORDERED = re.compile(r"(^|_)(ts|times|knots|grid|edges|breaks|breakpoints|timestamps|boundaries)$")
"""Names of arrays whose numbers ascend."""
INTERVAL = re.compile(
    r"(^|_)(interval|bounds|limits|range|domain|extent|support|spans?|slices?|partitions?)$"
)
"""Names of tuples whose first and last numbers bound an interval."""
UPPER = re.compile(r"(^|_)(upper|high|max|maximum)(_?(bound|limit|value)s?)?$")
"""Names of numbers that lie above others."""

DOCUMENTED_UPPER = re.compile(
    r"\b(upper|maximum|maximal|largest|greatest)\b[^.\n]{0,20}\b(bounds?|limits?|corners?|ends?)\b"
    r"|\bdegrees of freedom\b",
    re.IGNORECASE,
)
"""Words by which a docstring says that numbers lie above others."""

DOCUMENTED_OBJECT = re.compile(r"\b(objects?|instances?|functions?|callables?)\b", re.IGNORECASE)
"""Words by which a docstring says that an argument is no array."""

TEXTS = {
    r"weight": ['"weight"'],
    r"activation|act": ['"relu"', '"tanh"', '"gelu"', '"silu"'],
    r"axis_name|axis": ['"batch"', '"axis"'],
    r"padding": ['"SAME"', '"VALID"'],
    r"einsum|pattern|equation|subscripts": ['"ab,bc->ac"', '"a,ab->b"'],
    r"": ['"name"', '"weight"', '"mean"'],
}
"""Strings by a part of the argument name."""

VALUES = {
    r"^(name|label|title)$": ['"name"', '"weight"'],
    r"^(num|number)_\w+_per_": ["(2, 1)", "(2, 3)"],
    r"^rngs$": ["nnx.Rngs(seed)", "nnx.Rngs(params=seed, dropout=seed + 1)"],
    r"dtype$": ["jnp.float32"],
    r"^(event_|batch_|input_|feature_|normalized_|data_)?shape$": ["(3,)", "(3, 2)", "()"],
    r"shape$": ["(3,)", "(2, 3)", "()"],
    r"^axis$": ["0", "-1"],
    r"^dim$": ["<size or axis>"],
    r"^axes$": ["(0,)", "(0, 1)"],
    r"^(use|is|has|with|return|include|should)_|^(inference|training|deterministic|train|causal|reverse)$": [
        "False",
        "True",
    ],
    r"^dims$": ["(3, 2)", "(3,)", "<size>"],
    r"(sizes|widths)$": ["(3, 5, 2)", "(3, 2)", "(3,)"],
    r"(size|dims?|features?|channels|width|units|hidden|length|len|knots|bins|steps|resolution)$|(^|_)ch$|_model$"
    f"|{_COUNT}": ["<size>"],
    r"^(num|n)_|(depth|layers|heads|groups|order|degree)$": ["<count>"],
    r"^(p|rate|prob|probability|eps|epsilon|alpha|beta|gamma|momentum|decay|tol|rtol|atol|lr|learning_rate"
    r"|temperature|sigma|lam|lamda|lambda_|b1|b2)$|_rate$|_decay$|_tol$": ["<float>"],
}
"""Values by argument name. A placeholder such as `<size>` stands for a function in `plain`."""

ANY = (("jnp.tanh", "jnp.sin", "jax.nn.softplus"), ('"name"', '"weight"', '"mean"', '"scale"'))
"""Functions and words that are interchangeable."""
ONE = ("jnp.tanh", "jnp.mean", "jax.nn.initializers.ones")
TWO = ("jnp.add", "jnp.multiply")
HELPERS = {
    2: "def second(first: Any, given: Any) -> Any:\n    return -given",
    3: "def decay(time: Any, value: Any, arguments: Any) -> Any:\n    return -value",
    4: "def fourth(first: Any, second: Any, third: Any, given: Any) -> Any:\n    return -given",
}
"""Functions by number of arguments, defined in the test file so that all instances share them."""
TOTAL = "def total(*given: Any) -> Any:\n    return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(given))"
"""Function of any number and kind of arguments."""
FORCED = "def field(time: Any, value: Any, arguments: Any) -> Any:\n    return jnp.cos(time) - value"
"""Function of three arguments that depends on the first, in case its caller varies no other."""
PAIRS = (
    "def residual(value: Any, given: Any) -> Any:\n    return 2 * value - 1, value",
    "def objective(value: Any, given: Any) -> Any:\n    return jnp.sum(value * value), value",
)
"""Functions that return a result and an extra value. The second function's result is a scalar."""
REDUCES = re.compile(
    r"reduc|operation|pool|aggregat|agg|log_?(pdf|p(rob)?$|prob|dens|like|post|target)|energy|potential|loss|objective|cost"
)
"""Names of functions that return a number, such as a density, an energy or a loss."""
DENSITY = "def density(value: Any, given: Any) -> Any:\n    return -jnp.sum(value * value)"
"""Function of two arguments, whose second argument may be data of any kind."""
READS_FILES = re.compile(
    r"^(load|read|open|restore)(_|$)|(^|_)(from|of)_(file|filename|path|disk|url|obj|off|ply|stl|json|yaml|toml|csv|txt|hdf5|h5|nc|npz?|npy|"
    r"pickle|pkl|checkpoint|pretrained)s?(_|$)"
)
"""Names of methods that read a file.

An integer in place of a file name would be the descriptor of an open file.
"""
MAKES = re.compile(r"^(init|initial|initiali[sz]e|begin|start|create|make|new)(_|$)")
"""Names of methods that create inputs of other methods.

Without arguments, such a method is not the purpose of the class.
"""
CONVERTS = re.compile(
    r"^(to|as|from|into|get|set|with|convert)_|_conv$|^(flatten|unflatten|ravel|astype|cast|setup|tolist|tobytes|item|asdict|numpy)$"
)
"""Names of methods that return a part or another form of the instance, not its main result."""
INITIALISES = re.compile(r"init")
OF_SHAPES = ("zeros", "ones", "empty")
"""Functions of `jax.numpy` that make arrays of a shape, each a value for an argument of its name."""
CONVOLUTION = "eqx.nn.Conv2d(3, 2, (2, 3), key=jax.random.key(seed))"
"""Layer with channels, for a protocol that asks for such attributes."""
