"""Specs written by hand that have what the drawn ones seldom have."""

from typing import Any

NESTED: dict[str, Any] = {
    "name": "NestedOfDraws",
    "kind": "pytree",
    "rebuild": "static",
    "layout": "nested",
    "groups": {"scale": ["gain"]},
    "fields": {
        "gain": {"type": "f[n]", "init": "ones"},
        "shift": {"type": "f[n]", "init": "ones", "comment": "# Of what is looked up."},
        "table": {"type": "dict[str, f[]]", "role": "param", "preset": {"a": 42.0}},
    },
    "call": {
        "args": "x: f[n]",
        "returns": "f[n]",
        "body": "return self.gain * x + self.shift * sum(self.table.values())",
    },
}
"""The layout that is drawn least."""
SPREAD: dict[str, Any] = {
    "name": "SpreadOfDraws",
    "fields": {
        "rows": {"type": "f[3, 5]", "init": "truncated_normal(2)"},
        "gains": {"type": "f[3, 5]", "init": "he_normal"},
        "column": {"type": "f[5]", "init": "=jax.random.normal(key, (5,), dtype) / 3", "std": "1 / 3"},
    },
    "call": {
        "args": "x: f[5]",
        "returns": "f[3]",
        "body": "return (self.rows * self.gains) @ (x * self.column)",
    },
}
"""What few drawn specs have: draws of a spread that is declared, or that is cut off."""
