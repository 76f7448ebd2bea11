"""What generated tests say that methods hand on to the instance that they give."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

COUNTER = '''
kind = "pytree"
imports = ["from dataclasses import replace"]
[fields]
total = { type = "f[size]", role = "data", init = "zeros" }
count = { type = "i32[]", role = "data", init = "zeros" }
rise = { type = "float", role = "static", default = 0.5 }
fall = { type = "float", role = "static", default = 0.25 }
[methods.added]
args = "x: f[size]"
body = """
BODY
"""
'''


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("return Counter(self.total + x, self.count, self.rise, self.fall)", "('count', 'rise', 'fall')"),
        ("new = Counter(self.total, self.count + 1, fall=self.fall, rise=self.rise)\nreturn new", "('total', 'rise', 'fall')"),
        ("return Counter(self.total + x, self.count, self.fall, self.rise)", "('count',)"),
        ("return self.total + x", None),
        ("new = replace(self, total=self.total + x)\nobject.__setattr__(new, 'rise', 0.75)\nreturn new", "('count', 'fall')"),
        ("new = replace(self, total=self.total + x)\nnew.fall = 0.75\nreturn new", "('count', 'rise')"),
        ("new = replace(self, total=self.total + x)\nfor name in ('rise', 'fall'):\n    setattr(new, name, 0.75)\nreturn new", None),
    ],
)  # fmt: skip
def test_what_a_method_hands_on_is_declared(tmp_path: Path, body: str, kept: str | None) -> None:
    toml = COUNTER.replace("BODY", body)
    write_tree(tmp_path, {".git/": "", "specs/counter.toml": 'name = "Counter"\n' + toml})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/counter.toml")
    assert result.returncode == 0, result.stderr
    tests = " ".join((tmp_path / "tests/test_counter.py").read_text().split())
    assert (f"keeps={kept}".replace("'", '"') in tests) if kept else ("keeps" not in tests)
