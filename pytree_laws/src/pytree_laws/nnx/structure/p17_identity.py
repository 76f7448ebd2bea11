"""P17 for NNX modules: how the law reads there; its check is the one of all pytrees."""

from ...report import Law

LAW = Law(
    number="P17",
    name="identity",
    statement="The treedef differs from that of a twin class with the same attributes.",
    mistake="The class was registered by hand in a way that does not record it.",
    fix="Subclass nnx.Module and let Flax register it.",
)
