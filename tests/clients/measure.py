"""Measures what clients do and writes `docs/clients.md`, or says where that is not so any more.

    python -m clients.measure [--write] [--only NAME,...] [--long FOLDER]
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import traceback

from support import REPOSITORY

from . import facts, mixes, run, runners
from .scene import Probe, Scene

DOCUMENT = REPOSITORY / "docs/clients.md"
# Each has a desktop of its own, and machines have two cores.
AT_ONCE = 4


class Table:
    """One of the document's tables: a column for each client, what it is made of, and its cells by the names of the rows."""

    def __init__(self, name, make_scene, column, rows):
        self.begin, self.end = f"<!-- begin: {name}, written by tests/clients/measure.py -->", f"<!-- end: {name} -->"
        self.make_scene, self.column, self.rows = make_scene, column, rows

    def known(self, document):
        """The columns as they are written, by the name of the client without its version."""
        columns = []
        for line in document.partition(self.begin)[2].partition(self.end)[0].splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not cells[0] and len(cells) > 1:
                columns = [{"client": cell} for cell in cells[1:]]
            elif cells[0] in self.rows and len(cells) == len(columns) + 1:
                for column, cell in zip(columns, cells[1:]):
                    column[cells[0]] = cell
        return {column["client"].rsplit(" ", 1)[0]: column for column in columns}

    def text(self, columns):
        """Columns as it is written."""
        lines = ["| | " + " | ".join(column["client"] for column in columns) + " |", "| --- |" + " --- |" * len(columns)]
        return "\n".join(lines + [f"| {row} | " + " | ".join(column[row] for column in columns) + " |" for row in self.rows])

    def put(self, document, columns):
        """The document with these columns beside those that it has."""
        order = [kind.name for kind in (*runners.PINNED, *runners.LONG)]
        both = {**self.known(document), **columns}
        text = self.text([both[name] for name in sorted(both, key=order.index)])
        return f"{document.partition(self.begin)[0]}{self.begin}\n{text}\n{self.end}{document.partition(self.end)[2]}"


HANDEYE = Table("what reaches the model", Scene, facts.column, facts.ROWS)
MIXES = Table("other answers", Probe, mixes.column, [*mixes.ROWS.values(), mixes.LONGEST])


def measure(kinds, folders, table):
    """The columns of the clients; of one that failed, why."""
    columns, failures = {}, {}

    def one(kind):
        with tempfile.TemporaryDirectory(prefix="handeye-client-", ignore_cleanup_errors=True) as home:
            return table.column(kind, run.run(kind, folders[kind.folder], home, table.make_scene))

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for kind, future in [(kind, pool.submit(one, kind)) for kind in kinds]:
            try:
                columns[kind.name] = future.result()
            except Exception:  # One client's failure is reported, and does not affect the others.
                failures[kind.name] = traceback.format_exc()
    return columns, failures


def main():
    """Measures, prints, and writes or compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/clients.md")
    parser.add_argument("--only", default="", help="some clients: their names in one word, separated by commas")
    parser.add_argument("--long", help="the folder of the packages of the clients that not every run has")
    options = parser.parse_args()
    folders = {"clients": os.environ["HANDEYE_CLIENTS"], "clients-long": options.long}
    kinds = [kind for kind in (*runners.PINNED, *runners.LONG) if folders[kind.folder]]
    if options.only:
        kinds = [kind for kind in kinds if kind.__name__ in options.only.split(",")]
    folders = {name: pathlib.Path(folder) for name, folder in folders.items() if folder}
    ends = [check(table, *measure(kinds, folders, table), options.write) for table in (HANDEYE, MIXES)]
    sys.exit(0 if all(ends) else 1)


def check(table, columns, failures, writes):
    """Prints what was measured, and writes it or says where the document has something else. Returns whether all is well."""
    print(f"\n{table.text(list(columns.values()))}")
    for name, failure in failures.items():
        print(f"\n{name} could not be measured:\n{failure}")
    document = DOCUMENT.read_text(encoding="utf-8")
    before = table.known(document)
    if writes:
        DOCUMENT.write_text(table.put(document, columns), encoding="utf-8")
        print(f"written: {DOCUMENT}")
        return not failures
    for name, column in columns.items():
        was = before.get(name, {})
        for row, cell in column.items():
            if cell != was.get(row):
                print(f"{name}, {row}: {cell}; docs/clients.md says: {was.get(row)}")
    return not failures and all(before.get(name) == column for name, column in columns.items())


if __name__ == "__main__":
    main()
