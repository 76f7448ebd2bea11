"""Functions of jax, and attributes of arrays, by what they say of shapes."""

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
"""Functions whose result has the shape of what they are given first."""
MAPS = ("vmap", "filter_vmap")
"""Functions that map a function over the rows of what it is given."""
SAME_FUNCTION = ("jit", "filter_jit", "checkpoint", "filter_checkpoint", "remat")
"""Functions that give the function that they are given."""
GRADIENTS = ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad")
"""Functions that give the gradient of a function by what that is given first, with its value or without."""
SAME_LAYERS = ("stop_gradient", "inference_mode", "tree_inference")
"""Functions that give the layers that they are given first, with other values."""
OF_THREE = ("where", "select")
"""Functions of a condition and of two arrays."""
CONVOLUTIONS = ("conv", "conv_general_dilated", "conv_with_general_padding")
"""Functions of `jax.lax` that move a kernel, which stands second, over an image."""
SEGMENTS = ("segment_sum", "segment_max", "segment_min", "segment_prod")
"""Functions that add rows up by their numbers, which stand second."""
COUNTS_AT = {
    **dict.fromkeys((*SEGMENTS, "take_along_axis", "take", "softmax_cross_entropy_with_integer_labels"), 1),
    **dict.fromkeys(("one_hot", "bincount"), 0),
}
"""Where functions take whole numbers."""
JOINS = ("concatenate", "concat", "hstack", "stack")
"""Functions that put several arrays after each other, which are listed first."""
OF_TWO = ("maximum", "minimum", "add", "subtract", "multiply", "power", "arctan2", "hypot", "logaddexp")
NUMBERS = ("sum", "mean", "max", "min", "prod", "norm", "var", "std", "vdot")
"""Functions that give one number, unless an axis is said."""
OF_ARRAYS = (
    *("shape", "ndim", "dtype", "size", "T", "mT", "at", "real", "imag", "astype", "reshape", "ravel"),
    *("flatten", "transpose", "swapaxes", "conj", "dot", "clip", "squeeze", "argmax", "argmin", "any", "all"),
    *("item", "copy", "cumsum", "take", "repeat", "round", "sort", *NUMBERS),
)
"""Attributes of arrays; what another is read of is something else."""
_ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SPECTRA = {
    **dict.fromkeys(_ALONG_ONE, "axis"),
    **{f"{name}{end}": "axes" for name in _ALONG_ONE[:4] for end in ("2", "n")},
}
"""Functions that transform an array along one axis, or several, each with the name of that argument."""
