"""The public names of example-study."""

from importlib.metadata import version

from .affine import Affine as Affine
from .calibration import Calibration as Calibration
from .centre import Centre as Centre
from .residual_above import ResidualAbove as ResidualAbove
from .train_state import TrainState as TrainState

__version__ = version("example-study")
