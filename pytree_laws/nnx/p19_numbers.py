"""P19 for NNX modules: what the call computes."""

from ..report import Law

LAW = Law(
    number="P19",
    name="numbers",
    statement="The call gives the values and dtypes that its reference in NumPy gives, on examples and on random values, in each dtype that is declared.",
    mistake="A sign, a transposition, an axis or a factor that is another than in the formula, or a promotion that the formula does not have.",
    fix="Compare both line by line at the first element that differs; `tolerance` allows more rounding.",
)
