"""Edits of the classes without state: attention, a state space, a coupling, a kernel, a neuron, a spline, a rotation."""

from benchmarks.hand_edits.edit import Edit, declared, legitimate, numbers

STATELESS: tuple[Edit, ...] = (
    declared(
        "causal_self_attention",
        "static array: temperature in a static field",
        (
            '    temperature: Float[Array, " num_heads"]\n',
            '    temperature: Float[Array, " num_heads"] = eqx.field(static=True)\n',
        ),
    ),
    declared(
        "causal_self_attention",
        "key reused: key and value projection from kkey",
        ("use_bias=False, key=vkey)", "use_bias=False, key=kkey)"),
    ),
    declared(
        "causal_self_attention",
        "lru_cache on a helper that makes the mask: a tracer is cached",
        (
            "class CausalSelfAttention(",
            "@functools.lru_cache\ndef _causal_mask(seq):\n    return jnp.tril(jnp.ones((seq, seq), dtype=bool))\n\n\nclass CausalSelfAttention(",
        ),
        ("import math\n", "import functools\nimport math\n"),
        ("mask = jnp.tril(jnp.ones((seq, seq), dtype=bool))", "mask = _causal_mask(seq)"),
    ),
    declared(
        "diagonal_ssm",
        "dtype hard-coded: initial_state in float32",
        ("jnp.zeros((self.state_size,), self.b.dtype)", "jnp.zeros((self.state_size,), jnp.float32)"),
    ),
    declared(
        "diagonal_ssm",
        "state not returned: step gives the old state back",
        ("state = decay * state + b_bar @ x", "new = decay * state + b_bar @ x"),
        ("return state, self.c @ state + self.skip * x", "return state, self.c @ new + self.skip * x"),
    ),
    numbers(
        "diagonal_ssm",
        "wrong sign: gain = (1 + decay) / rate",
        ("gain = (1.0 - decay) / rate", "gain = (1.0 + decay) / rate"),
    ),
    declared(
        "affine_coupling",
        "np.random: log_scale drawn from numpy, not from key",
        (
            "self.log_scale = jnp.zeros((dim,))",
            "self.log_scale = jnp.asarray(0.01 * np.random.randn(dim), jnp.float32)",
        ),
        ("import jax.numpy as jnp\n", "import jax.numpy as jnp\nimport numpy as np\n"),
    ),
    declared(
        "affine_coupling",
        "mask as float: an optimiser's weight decay moves it",
        ("self.mask = ~even if flip else even", "self.mask = (~even if flip else even).astype(jnp.float32)"),
        ('mask: Bool[Array, " dim"]', 'mask: Float[Array, " dim"]'),
    ),
    numbers(
        "affine_coupling",
        "wrong sign: inverse gives +log_det",
        (", -jnp.sum(log_scale)", ", jnp.sum(log_scale)"),
    ),
    declared(
        "matern32",
        "sqrt of 0: NaN gradient at coinciding points",
        (
            "        safe = jnp.where(squared > 0, squared, 1.0)\n        return jnp.where(squared > 0, jnp.sqrt(safe), 0.0)",
            "        return jnp.sqrt(squared)",
        ),
    ),
    declared(
        "matern32",
        "wrong flatten order: noise and variance swapped",
        (
            "(self.lengthscale, self.variance, self.noise), (self.jitter,)",
            "(self.lengthscale, self.noise, self.variance), (self.jitter,)",
        ),
    ),
    numbers("matern32", "wrong constant: sqrt(5)", ("jnp.sqrt(3.0)", "jnp.sqrt(5.0)")),
    declared(
        "fitz_hugh_nagumo",
        "if on a tracer: drive only for t > 0",
        (
            "drive = self.current * (1.0 - jnp.exp(-t))",
            "drive = self.current * (1.0 - jnp.exp(-t)) if t > 0 else 0.0",
        ),
    ),
    declared(
        "fitz_hugh_nagumo",
        "float64 constant: v**3 / np.float64(3)",
        ("v**3 / 3.0", "v**3 / np.float64(3.0)"),
        ("import jax.numpy as jnp\n", "import jax.numpy as jnp\nimport numpy as np\n"),
    ),
    numbers(
        "fitz_hugh_nagumo", "wrong constant: k3 counted once", ("2 * k2 + 2 * k3 + k4", "2 * k2 + k3 + k4")
    ),
    declared(
        "hermite_spline",
        "int() on a tracer",
        (
            'i = jnp.searchsorted(self.knots, inside, side="right") - 1',
            'i = int(jnp.searchsorted(self.knots, inside, side="right")) - 1',
        ),
    ),
    declared(
        "hermite_spline",
        "aux dropped: extrapolate is lost in unflatten",
        ("return cls(*children, extrapolate=aux[0])", "return cls(*children)"),
    ),
    numbers("hermite_spline", "wrong sign: h11 = s**3 + s**2", ("h11 = s**3 - s**2", "h11 = s**3 + s**2")),
    declared(
        "rotation",
        "where-NaN: sqrt(squared) without the inner where",
        ("angle = jnp.sqrt(jnp.where(small, 1.0, squared))", "angle = jnp.sqrt(squared)"),
    ),
    declared(
        "rotation",
        "integer field: identity without a dtype",
        ("jnp.array([1.0, 0.0, 0.0, 0.0], jnp.float32)", "jnp.array([1, 0, 0, 0])"),
    ),
    numbers(
        "rotation", "wrong sign in the quaternion product", ("+ y1 * z2 - z1 * y2", "+ y1 * z2 + z1 * y2")
    ),
    legitimate(
        "causal_self_attention",
        "einsum as matmul of transposes",
        ('jnp.einsum("qhd,khd->hqk", q, k)', "(q.transpose(1, 0, 2) @ k.transpose(1, 2, 0))"),
    ),
    legitimate(
        "diagonal_ssm",
        "matmul as vmap",
        ("inputs = xs @ b_bar.T", "inputs = jax.vmap(lambda x: b_bar @ x)(xs)"),
    ),
    legitimate(
        "affine_coupling",
        "private method renamed",
        ("def _parameters(", "def _shift_and_log_scale("),
        ("self._parameters(x)", "self._shift_and_log_scale(x)"),
        ("self._parameters(y)", "self._shift_and_log_scale(y)"),
    ),
    legitimate(
        "matern32",
        "gram by nested vmap of the call",
        (
            "jax.vmap(lambda x: jax.vmap(lambda y: self(x, y))(xs))(xs)",
            "jax.vmap(jax.vmap(self, (None, 0)), (0, None))(xs, xs)",
        ),
    ),
    legitimate(
        "hermite_spline",
        "a basis in Horner form",
        ("h00 = 2 * s**3 - 3 * s**2 + 1", "h00 = (2 * s - 3) * s * s + 1"),
        ("h10 = s**3 - 2 * s**2 + s", "h10 = ((s - 2) * s + 1) * s"),
    ),
)
