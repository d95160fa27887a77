"""The revision x feature x transport table in `docs/protocol-matrix.md`: written on request, read back as what is expected."""

import json
import os

from support import REPOSITORY

DOCUMENT = REPOSITORY / "docs/protocol-matrix.md"
FRAGMENTS = REPOSITORY / "target/e2e/protocol-matrix"
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
TRANSPORTS = {"stdio": "standard input and output", "http": "Streamable HTTP"}
FEATURES = ["handshake", "tools", "resources", "prompts", "completion", "progress", "logging", "elicitation", "tasks",
            "subscription"]
WRITES = bool(os.environ.get("HANDEYE_WRITE_DOCS"))
ABSENT = "not in this revision"

_HEAD = """# What works in which revision of the protocol

Made by `HANDEYE_WRITE_DOCS=1 cargo xtask test --e2e tests/e2e/test_protocol_matrix.py`; every run of the tests compares each
cell with it. A cell is what was seen on the wire, spoken by hand. What is said word by word is in
[the transcripts](../tests/e2e/transcripts); that official clients understand it is what `tests/e2e/test_clients.py` checks.

* **yes**: it works as the revision has it
* **not in this revision**: the revision has no such thing
"""


def keep(transport, revision, feature, outcome):
    """Remembers a cell for the table that is written at the end."""
    FRAGMENTS.mkdir(parents=True, exist_ok=True)
    (FRAGMENTS / f"{transport}-{revision}-{feature}.json").write_text(json.dumps(outcome), encoding="utf-8")


def expected(transport, revision, feature):
    """What the committed table says of a cell, or None."""
    if not DOCUMENT.exists():
        return None
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == [feature, TRANSPORTS[transport]] and len(cells) == 2 + len(REVISIONS):
            return cells[2 + REVISIONS.index(revision)]
    return None


def finish():
    """Writes the table if asked to."""
    if not WRITES or not FRAGMENTS.exists():
        return

    def cell(transport, revision, feature):
        path = FRAGMENTS / f"{transport}-{revision}-{feature}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else "not run"

    lines = [_HEAD, "| feature | over | " + " | ".join(REVISIONS) + " |", "| --- | --- |" + " --- |" * len(REVISIONS)]
    for feature in FEATURES:
        for transport, name in TRANSPORTS.items():
            cells = " | ".join(cell(transport, revision, feature) for revision in REVISIONS)
            lines.append(f"| {feature} | {name} | {cells} |")
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"\nwritten: {DOCUMENT}")
