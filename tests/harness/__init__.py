"""The harness: random and exhaustive use of many applications, judged from outside. What it is for: docs/harness.md.

`python -m harness --short | --long` with `tests` on the path; `cargo xtask test` starts it.
"""

import pathlib
import sys

_E2E = pathlib.Path(__file__).resolve().parents[1] / "e2e"
if str(_E2E) not in sys.path:
    sys.path.insert(0, str(_E2E))
