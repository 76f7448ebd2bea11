"""Laws of a training step: a function of a state and a batch that gives the next state."""

from .laws import StepLaws

__all__ = ["StepLaws"]
