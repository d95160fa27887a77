"""Writes docs/harness.md: what the long form saw, row by row, with commit and date.

A row of an earlier commit stays until something newer takes its place.
"""

import collections
import dataclasses

from support import REPOSITORY

from . import known

PAGE = REPOSITORY / "docs/harness.md"
HEAD = """# What the harness saw

Made by `cargo xtask test --long --finished --write`; what stands here is what was run, and nothing else. [How the harness works](../tests/harness/README.md),
and which [applications](../tests/harness/applications.py) it has. Each row names the commit whose binary it is about, and the day: what an earlier commit
was seen to do stays until the same is run with a later one.
"""


@dataclasses.dataclass
class Section:
    """A part of the page: a table whose rows are known by their first cell, and what its columns mean."""

    title: str
    words: str
    head: tuple
    # The first cell to the others, without commit and day.
    rows: list

    def text(self, kept):
        """It as Markdown; `kept` are the rows of the page that is replaced."""
        fresh = {row[0] for row in self.rows}
        rows = [*self.rows, *(row for row in kept if row[0] not in fresh)]
        return f"## {self.title}\n\n{self.words.strip()}\n\n{table((*self.head, 'commit', 'day'), rows)}" if rows else ""


def write(results, form, seed):
    """Writes the page from the results of all shards that have any."""
    results = [result for result in results if result and "broken" not in result]
    if not results:
        raise SystemExit("harness: no shard is finished, so there is nothing to write")
    before = rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    sections = [reading(results), trees(results), confirmed(results), alongside(results)]
    parts = [HEAD, f"Run last: the {form} form, seed {seed}, {summary(results)}.",
             *(section.text(before.get(section.title, ())) for section in sections), deviations()]
    PAGE.write_text("\n".join(part.strip() + "\n" for part in parts if part), encoding="utf-8")


def rows_of(page):
    """The rows of the tables in a page, by the titles of its sections."""
    found, title = collections.defaultdict(list), ""
    for line in page.splitlines():
        if line.startswith("## "):
            title = line[3:]
        elif line.startswith("| "):
            found[title].append([cell.strip() for cell in line.strip().strip("|").split("|")])
    # Without the head and the line below it.
    return {title: rows[2:] for title, rows in found.items()}


def summary(results):
    """Which commits and days the results are of."""
    commits = sorted({f"`{result['commit']}`" for result in results})
    days = sorted({result["date"] for result in results})
    return f"{len(results)} shards, commit {', '.join(commits)}, {days[0]}" + (f" to {days[-1]}" if days[1:] else "")


def seen(rows):
    """The last two cells of a row about these shards: commit and day."""
    return ", ".join(sorted({f"`{row['commit']}`" for row in rows})), max(row["date"] for row in rows)


def of(results, harness):
    """The results of one harness."""
    return [result for result in results if result["harness"] == harness]


def table(head, rows):
    """A table."""
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in row) + " |"
                              for row in rows])


def reading(results):
    """Read everything."""
    rows = [(row["application"], row["toolkit"], row["elements"], row["tool_calls"], row.get("raw_calls", ""),
             "yes" if row["survived"] else "**no**", f"{row['before'] * 1e3:.2f}",
             f"{row['after'] * 1e3:.2f}" if "after" in row else "", "; ".join(fault[:120] for fault in row["faults"]), *seen([row]))
            for row in of(results, "reading")]
    return Section("Read everything", """
Every element of an application, hidden ones included, through every call of [the list](reference/read-calls.md), and
with handeye's own tools. The times are those of one answer, in milliseconds, before and after.
""", ("application", "toolkit", "elements", "calls of tools", "raw calls", "survived", "before", "after", "faults"), rows)


def trees(results):
    """Every tree."""
    names = ("missing", "fewer", "extra", "misnamed", "unseen")
    rows = []
    for row in of(results, "trees"):
        if "listed" not in row:
            rows.append((row["application"], row["toolkit"], *[""] * 9, "; ".join(row["faults"])[:120], *seen([row])))
            continue
        which = "; ".join(f"{what}: {', '.join(row[what][1][:3])}" for what in names if row[what][0])
        rows.append((row["application"], row["toolkit"], row["elements"], row["listed"], row["with_hidden"],
                     *(row[what][0] for what in names), f"{row['read']} of {row['words']}", which[:160], *seen([row])))
    return Section("Every tree", """
handeye's outline beside an independent walk of the bus. *Missing*: shows by the walk and stands nowhere in the outline; *fewer*: fewer controls of a
name than show; *extra*: stands in the outline and does not show; *unseen*: a word that tesseract reads in the window, that an element says,
and that the outline lacks. *Words read*: of the words on the screen, how many the outline has.
""", ("application", "toolkit", "names that show", "listed", "with hidden", *names, "words read", "which"), rows)


def added(rows):
    """The tallies of several shards as one."""
    total = collections.Counter()
    for row in rows:
        total.update(row["tally"])
    return total


def by_toolkit(results, harness):
    """The results of a harness, toolkit by toolkit."""
    grouped = collections.defaultdict(list)
    for row in of(results, harness):
        grouped[row["toolkit"]].append(row)
    return grouped


def confirmed(results):
    """Every "confirmed"."""
    rows = []
    for toolkit, listed in by_toolkit(results, "confirmed").items():
        total = added(listed)
        share = f"{total['unconfirmed'] / total['effective']:.1%}" if total["effective"] else ""
        rows.append((toolkit, total["actions"], total["dispatched"], total["effective"], total["false"], total["wrong"],
                     total["untold"], total["unconfirmed"], share, total["idle but confirmed"], total["popup left"],
                     total["advice followed"], *seen(listed)))
    return Section('Every "confirmed"', """
Random actions, a third of them in focus mode, judged by the application's own state. *False*: confirmed, and it did not happen; *untold*: an
error, and it happened; *idle but confirmed*: a click that had nothing to change; *advice followed*: what a refusal names as the next call
was done, once for each advice, and led somewhere.
""", ("toolkit", "actions", "dispatched", "effective", "false", "wrong target", "untold", "unconfirmed", "share",
      "idle but confirmed", "popups left", "advice followed"), rows)


def alongside(results):
    """A user works alongside."""
    rows = []
    for toolkit, listed in by_toolkit(results, "alongside").items():
        total = added(listed)
        faults = "; ".join(fault[:100] for row in listed for fault in row["faults"])
        rows.append((toolkit, total["actions"], total["dispatched"], sum(row["characters"] for row in listed),
                     sum(row["menus"] for row in listed), sum(row["activated"] for row in listed), total["popup left"],
                     total["false"], total["wrong"], faults, *seen(listed)))
    return Section("A user works alongside", """
Random background actions while a scripted user types into an editor and uses its menu. A lost, doubled or misplaced character is a fault.
""", ("toolkit", "actions", "dispatched", "characters typed", "menus used", "windows activated", "popups left", "false",
      "wrong target", "faults"), rows)


def deviations():
    """What is known to deviate."""
    if not known.KNOWN:
        return "## Known deviations\n\nNone."
    rows = [(f"`{deviation.shard}`", f"`{deviation.words}`", deviation.since, deviation.reason) for deviation in known.KNOWN]
    return "## Known deviations\n\nEach is expected, and its absence fails as well.\n\n" + table(
        ("shard", "what it says", "since", "why"), rows)
