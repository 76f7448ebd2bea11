"""Tests of `AbstractNorm`."""

from abstract_laws import AbstractLaws

from abstract_norm import AbstractNorm


class TestAbstractNorm(AbstractLaws):
    """The laws of abstract classes on `AbstractNorm`."""

    cls = AbstractNorm
    fields = ("size", "gain")
    methods = ("__call__",)
