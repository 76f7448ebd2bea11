"""Sizes of images that the constructor states: `image_size=32` for the dims `height` and `width`."""

import re

from scaffold.spec.construction.local_sizes import data_lengths
from scaffold.spec.construction.sizes import Sizes
from scaffold.spec.model import ModuleSpec
from scaffold.suite.reads.quiet_defaults import default_numbers

_SETTING = re.compile(r"(image|img|input)_(size|resolution)|resolution")
_AXIS = re.compile(r"h|w|height|width", re.IGNORECASE)


def with_image_sizes(spec: ModuleSpec, sized: Sizes) -> Sizes:
    """Return the sizes, with the axes of an image as long as the default of a setting."""
    numbers = (number for name, number in default_numbers(spec).items() if _SETTING.fullmatch(name))
    size = int(next(numbers, 0))
    axes = {dim for dim in data_lengths(spec).intersection(sized) if _AXIS.fullmatch(dim)}
    return {**sized, **dict.fromkeys(sorted(axes - dict(spec.test.sizes).keys()), size)} if size else sized
