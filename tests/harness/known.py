"""Deviations that are known: each with its shard, its words, the day and the reason. One that does not occur any more fails too."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Deviation:
    """A fault that is known: `words` is a regular expression of what the shard says."""

    shard: str
    words: str
    since: str
    reason: str
    # The forms in which it always occurs, so that its absence says something.
    forms: tuple = ("long",)


KNOWN = (
    Deviation("trees-thunar", "2 extra: Undo the latest operation; Redo the latest operation", "2026-11-23",
              "two items of its toolbar say that they show, with a tooltip and a button inside that does not"),
)


def judge(results, whole, form):
    """What is wrong with the results: faults that are not known, deviations that are gone, shards that broke."""
    complaints, seen = [], set()
    for result in results:
        if "broken" in result:
            complaints.append(f"{result['shard']} broke: {result['broken'].strip().splitlines()[-1]}")
            continue
        for fault in result["faults"]:
            match = next((known for known in KNOWN
                          if known.shard == result["shard"] and re.search(known.words, fault)), None)
            if match:
                seen.add(match)
            else:
                complaints.append(f"{result['shard']}: {fault}")
    ran = {result["shard"] for result in results}
    for known in KNOWN:
        if known not in seen and known.shard in ran and form in known.forms and whole:
            complaints.append(f"the known deviation of {known.shard} ({known.reason}) does not occur any more: remove it")
    return complaints
