"""How much it matters what a call raises at an option that nobody gave."""

import pytest
from flax import nnx

from pytree_laws import check_pytree, sample
from pytree_laws.report import ADVICE, FAULT


class TakesEntries(nnx.Module):
    """Its option asks for a dict."""

    def __call__(self, x, has_jumped: bool = False):
        return 2 * (x["jump"] if has_jumped else x)


class Misspelt(nnx.Module):
    """Its option asks for a name that is nowhere."""

    def __call__(self, x, has_jumped: bool = False):
        return self.weigth * x if has_jumped else 2 * x


class DecidesByValues(nnx.Module):
    def __call__(self, x, has_jumped: bool = False):
        return -x if has_jumped and x[0] > 0 else 2 * x


class TakesNone(nnx.Module):
    def __init__(self):
        self.jump = None

    def __call__(self, x, has_jumped: bool = False):
        return x * self.jump if has_jumped else 2 * x


@pytest.mark.parametrize(
    ("cls", "severity"),
    [(TakesEntries, None), (Misspelt, FAULT), (DecidesByValues, FAULT), (TakesNone, FAULT)],
)
def test_what_may_be_for_other_values_than_those_that_were_found_is_advice(cls, severity):
    test = "test_p07_can_be_called_in_each_configuration"

    def of_suite(least):
        report = check_pytree(lambda seed: cls(), lambda seed: (sample(seed, (3,)),), severity=least)
        return {finding.test: finding.severity for finding in report.findings}

    assert of_suite(FAULT).get(test) == severity  # advice is left out
    assert of_suite(ADVICE)[test] == FAULT  # somebody wrote the example
