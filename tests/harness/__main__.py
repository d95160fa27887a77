"""The command line: `python -m harness [--short | --long] [--only HARNESS[-SUBJECT],…] [--seed N] [--write]`."""

import argparse
import sys
import time

from support import REPOSITORY

from . import applications, known, report, shards
from .shards import Shard

FIXTURES = {"short": ("gtk3", "qt5"), "long": ("gtk3", "gtk4", "qt5", "firefox", "chromium", "swing", "libreoffice")}
# Random actions of one shard, and the shards of a toolkit: 2,000 in the long form.
ACTIONS = {"short": 40, "long": 250}
PARTS = {"short": 1, "long": 8}
# The same for those with a user beside: 2,000 and 10,000 characters in the long form.
BESIDE = {"short": ("gtk3",), "long": ("gtk3", "gtk4", "qt5", "chromium", "firefox")}
BESIDE_ACTIONS = {"short": 60, "long": 200}
BESIDE_CHARACTERS = {"short": 480, "long": 1000}
BESIDE_PARTS = {"short": 1, "long": 2}


def planned(form):
    """The shards of a form. What takes longest comes first."""
    apps = [app for app in applications.ALL if form == "long" or app.short]
    for harness in ("reading", "trees"):
        yield from (Shard(harness, app.name, harness, {"application": app.name}) for app in reversed(apps))
    # The first part of each toolkit before the second of any: an interrupted run knows something of each.
    for part in range(PARTS[form]):
        for toolkit in FIXTURES[form]:
            yield Shard("confirmed", f"{toolkit}-{part + 1}", "confirmed",
                        {"toolkit": toolkit, "count": ACTIONS[form], "part": part})
    for part in range(BESIDE_PARTS[form]):
        for toolkit in BESIDE[form]:
            yield Shard("alongside", f"{toolkit}-{part + 1}", "alongside", {
                "toolkit": toolkit, "count": BESIDE_ACTIONS[form], "characters": BESIDE_CHARACTERS[form], "part": part})


def main():
    """Runs what was asked for; the exit code says whether all is as it should be."""
    parser = argparse.ArgumentParser(prog="harness", description=__doc__)
    parser.add_argument("--short", dest="form", action="store_const", const="short", default="short")
    parser.add_argument("--long", dest="form", action="store_const", const="long")
    parser.add_argument("--only", default="", help="names of harnesses or shards, with commas between")
    parser.add_argument("--seed", default="1", help="of the random actions")
    parser.add_argument("--at-once", type=int, default=2, help="how many shards run at once")
    parser.add_argument("--state", default=str(REPOSITORY / "target/harness"), help="where finished shards are kept")
    parser.add_argument("--finished", action="store_true", help="run nothing: take what is finished")
    parser.add_argument("--write", action="store_true", help="write docs/harness.md anew, from the shards that ran")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    wanted = [shard for shard in planned(options.form) if not only or shard.harness in only or shard.name in only]
    start = time.monotonic()
    print(f"harness: {len(wanted)} shards, {options.form} form, seed {options.seed}", flush=True)
    place = shards.folder(options.state, options.form, options.seed)
    if options.finished:
        wanted = [shard for shard in wanted if shards.finished(place, shard)]
    elif options.form == "short":
        # It says how things are now, and not how they were.
        shards.forget(place, wanted)
    results = shards.run_all(wanted, place, options.form, options.seed, options.at_once, lambda line: print(line, flush=True))
    if options.write:
        report.write(results, options.form, options.seed)
    complaints = known.judge(results, whole=not only, form=options.form)
    print(f"harness: {time.monotonic() - start:.0f} s; " + ("as it should be" if not complaints else "\n  ".join(
        [f"{len(complaints)} complaints", *complaints])), flush=True)
    return 1 if complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("harness: interrupted; the same command goes on with the shards that are not finished", flush=True)
        sys.exit(130)
