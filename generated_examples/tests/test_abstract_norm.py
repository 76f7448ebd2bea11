"""Tests of `AbstractNorm`."""

from pytree_laws.abstract import AbstractLaws

from abstract_norm import AbstractNorm


class TestAbstractNorm(AbstractLaws):
    """The laws of abstract classes on `AbstractNorm`."""

    cls = AbstractNorm
    fields = ("size", "gain")
    methods = ("__call__",)
