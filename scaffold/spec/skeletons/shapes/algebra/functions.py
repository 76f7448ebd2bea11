"""Functions of jax and attributes of arrays, grouped by what their use says about shapes."""

PRODUCTS = ("dot", "matmul")
ELEMENTWISE = (
    *("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "tanh", "arctan", "abs", "square", "sign"),
    *("negative", "relu", "sigmoid", "softplus", "gelu", "silu", "swish", "elu", "softmax", "stop_gradient"),
    *("asarray", "array", "astype", "clip", "cumsum", "roll", "flip", "zeros_like", "ones_like", "full_like"),
    *("floor", "ceil", "round", "rint", "sinh", "cosh", "arcsin", "arccos", "arcsinh"),
    *("erf", "rsqrt", "cbrt", "celu", "selu", "mish", "hard_tanh", "cumprod", "sort"),
    *("conj", "conjugate", "real", "imag", "angle", "deg2rad", "rad2deg", "logical_not"),
    *("exp2", "log2", "log10", "nan_to_num", "isnan", "isfinite", "log_softmax", "log_sigmoid", "leaky_relu"),
)
"""Functions whose result has the shape of the first argument."""
SQUARE = ("cholesky", "inv", "expm", "sqrtm", "matrix_power")
"""Functions of a square matrix that return one of its shape."""
OF_SQUARE = ("det", "slogdet", "eigh", "eigvalsh", "eig", "eigvals", "trace")
"""Other functions of a square matrix."""
SOLVERS = ("solve", "solve_triangular")
"""Functions of a square matrix and of the right sides of its equations."""
MAPS = ("vmap", "filter_vmap")
"""Functions that map a function over the rows of its arguments."""
SAME_FUNCTION = ("jit", "filter_jit", "checkpoint", "filter_checkpoint", "remat")
"""Wrappers that do not change the shapes which a function takes and returns."""
GRADIENTS = ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad")
"""Functions that return the gradient by a function's first argument, with its value or without."""
SAME_LAYERS = ("stop_gradient", "inference_mode", "tree_inference")
"""Functions that return the layers in their first argument with other values."""
OF_THREE = ("where", "select")
"""Functions of a condition and two arrays."""
CONVOLUTIONS = ("conv", "conv_general_dilated", "conv_with_general_padding")
"""Functions of `jax.lax` that convolve their first argument with a kernel, their second."""
SEGMENTS = ("segment_sum", "segment_max", "segment_min", "segment_prod")
"""Functions that reduce rows by their segment ids, the second argument."""
COUNTS_AT = {
    **dict.fromkeys((*SEGMENTS, "take_along_axis", "take", "softmax_cross_entropy_with_integer_labels"), 1),
    **dict.fromkeys(("one_hot", "bincount"), 0),
}
"""Position of the argument that holds whole numbers, by function."""
NUMBER_AT = {
    **dict.fromkeys(("fold_in", "dynamic_index_in_dim", "dynamic_slice_in_dim"), 1),
    **dict.fromkeys(("dynamic_update_index_in_dim", "dynamic_update_slice_in_dim"), 2),
}
"""Position of the argument that is a single whole number, by function."""
PLACES = {"argmax": 0, "argmin": 0, "argsort": 0, "categorical": 1}
"""Functions that return indices along an axis of an array, with the position of the array."""
ALONG_AN_AXIS = (*PLACES, "softmax", "log_softmax", "logsumexp", "sort", "cumsum", "top_k")
"""Functions that go along an axis of their first argument, which is no scalar."""
JOINS = ("concatenate", "concat", "hstack", "stack")
"""Functions that join the arrays in a list, their first argument."""
OF_TWO = ("maximum", "minimum", "add", "subtract", "multiply", "power", "arctan2", "hypot", "logaddexp")
NUMBERS = ("sum", "mean", "max", "min", "prod", "norm", "var", "std", "vdot")
"""Functions that return a scalar unless an axis is given."""
OF_ARRAYS = (
    *("shape", "ndim", "dtype", "size", "T", "mT", "at", "real", "imag", "astype", "reshape", "ravel"),
    *("flatten", "transpose", "swapaxes", "conj", "dot", "clip", "squeeze", "argmax", "argmin", "any", "all"),
    *("item", "copy", "cumsum", "take", "repeat", "round", "sort", *NUMBERS),
)
"""Attributes of arrays. A value of which code reads any other attribute is no array."""
_ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SPECTRA = {
    **dict.fromkeys(_ALONG_ONE, "axis"),
    **{f"{name}{end}": "axes" for name in _ALONG_ONE[:4] for end in ("2", "n")},
}
"""Fourier transforms, each with the name of the argument for its axis or axes."""
