"""Which edits by hand the generated tests notice: `python -m benchmarks.hand_edits`.

`--only TEXT` makes those with this in their name, `--write` puts the counts and what was not noticed into
docs/hand_edits.md.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.hand_edits import EDITS
from benchmarks.hand_edits.verdicts import PAGE, name_of, page, verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hand_edits", description=__doc__)
    parser.add_argument("--only", default="", help="those with this text in their name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="make docs/hand_edits.md anew")
    chosen = parser.parse_args(arguments)
    if chosen.write and chosen.only:
        parser.error("--write takes all edits, so it does not go with --only")
    text = page(verdicts([one for one in EDITS if chosen.only in name_of(one)], chosen.jobs))
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
