"""Shards: parts of the harness that run by themselves, whose results are kept, so that a long run goes on where it ended.

The state is under `target/harness/COMMIT-BINARY/FORM-SEED`: it belongs to a commit and to the very binary, never to another.
"""

import concurrent.futures
import dataclasses
import hashlib
import importlib
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import time
import traceback

from support import BINARY, REPOSITORY


@dataclasses.dataclass(frozen=True, eq=False)
class Shard:
    """A part: which harness, on what, and the function that runs it and returns JSON with a list `faults`."""

    harness: str
    subject: str
    module: str
    arguments: dict

    @property
    def name(self):
        """Its name in files and reports."""
        return f"{self.harness}-{self.subject}"


def commit():
    """The last commit that changed the product, in short: one that changes tests or pages leaves what was found as it is."""
    words = ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%h", "--abbrev=12", "--", "crates", "Cargo.lock", ":!crates/xtask"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def folder(state, form, seed):
    """Where the results of this commit, binary, form and seed are kept, under the folder `state`."""
    with open(BINARY, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:8]
    path = pathlib.Path(state) / f"{commit()}-{digest}" / f"{form}-{seed}"
    path.mkdir(parents=True, exist_ok=True)
    return path


def finished(place, shard):
    """The kept result of a shard, or None."""
    try:
        return json.loads((place / f"{shard.name}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def forget(place, shards):
    """Has these run again."""
    for shard in shards:
        (place / f"{shard.name}.json").unlink(missing_ok=True)


def run(place, shard, form, seed):
    """Runs one shard in this process and keeps its result; what breaks the harness itself is not a result."""
    start = time.monotonic()
    module = importlib.import_module(f".{shard.module}", __package__)
    try:
        result = module.run(form=form, rng=random.Random(f"{seed}-{shard.name}"), **shard.arguments)
    except Exception:
        return {"shard": shard.name, "broken": traceback.format_exc(limit=6), "seconds": time.monotonic() - start}
    result.update(shard=shard.name, harness=shard.harness, subject=shard.subject, seconds=round(time.monotonic() - start, 1),
                  commit=commit(), date=time.strftime("%Y-%m-%d"))
    draft = place / f"{shard.name}.draft"
    draft.write_text(json.dumps(result, indent=1, default=str), encoding="utf-8")
    os.replace(draft, place / f"{shard.name}.json")
    return result


def run_all(shards, place, form, seed, at_once, say):
    """Runs those that have no result yet, several at once, each in a process of its own. Returns all results in order."""
    results = {shard: finished(place, shard) for shard in shards}
    waiting = [shard for shard, result in results.items() if result is None]
    for shard in shards:
        if results[shard]:
            say(f"kept    {shard.name}")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(at_once, mp_context=context, max_tasks_per_child=1) as pool:
        running = {pool.submit(run, place, shard, form, seed): shard for shard in waiting}
        try:
            for future in concurrent.futures.as_completed(running):
                shard = running[future]
                results[shard] = future.result()
                say(summary(shard, results[shard]))
        except KeyboardInterrupt:
            # Those that run end their desktops themselves.
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [results[shard] for shard in shards]


def summary(shard, result):
    """One line about a shard."""
    if "broken" in result:
        return f"BROKEN  {shard.name} ({result['seconds']:.0f} s)\n{result['broken']}"
    lines = [f"{'FAULTS' if result['faults'] else 'ok':7} {shard.name} ({result['seconds']:.0f} s)"]
    return "\n".join(lines + [f"        {fault}" for fault in result["faults"]])
