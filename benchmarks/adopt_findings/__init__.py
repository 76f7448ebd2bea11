"""The findings of docs/adopt.md by hand: `python -m benchmarks.adopt_findings`, where the libraries are installed.

Each function does in a few lines of plain jax what a row of that table says, and returns whether it is seen. It knows nothing
of the laws. `--only WORD` takes the rows in whose class or library the word is; `--write` puts the table into docs/adopt.md.
"""

# ruff: noqa: F401, I001  (the order of these imports is that of the rows)
from benchmarks.adopt_findings import of_equinox
from benchmarks.adopt_findings import of_other_styles
from benchmarks.adopt_findings import of_records
from benchmarks.adopt_findings import of_quax
from benchmarks.adopt_findings import of_lineax
from benchmarks.adopt_findings import of_flowjax
from benchmarks.adopt_findings import of_diffrax
from benchmarks.adopt_findings import of_tinygp
from benchmarks.adopt_findings import of_flax
from benchmarks.adopt_findings.rows import ROWS
from benchmarks.adopt_findings.table import HEAD, PAGE, line, main, told, total, written, wrong

__all__ = ["HEAD", "PAGE", "ROWS", "line", "main", "told", "total", "written", "wrong"]
