#!/usr/bin/env python3
"""Writes tests/corpus/truth.tsv: which element of one recording is which element of another. Independent of handeye: it knows catalogs and words.

- Languages and renamed labels: the same program built both windows, so that the trees are walked side by side where they have the same roles. A pair
  whose label is in a catalog of the program counts only if the other label is a translation of it; then lists that are sorted by
  their labels are paired by these.
- Orders of a list: by the word of the row, and the number of the element in it.
- Containers and versions: elements whose role and label are unique on both sides.

A line: kind, application, one recording, the other one, pairs of line numbers, elements that are gone.
"""

import collections
import gettext
import glob
import pathlib
import re

from record import LOCALES, WORDS

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
VERSIONS = [("atril", "evince"), ("mate-calc", "gnome-calculator"), ("l3afpad", "mousepad"), ("kwrite", "kate")]
Element = collections.namedtuple("Element", "depth role name children parent")


def read(name):
    """The elements of a recording."""
    elements = []
    open_ = []
    for line in (CORPUS / f"{name}.tsv").read_text().splitlines():
        depth, role, _, _, _, label, _ = line.split("\t")
        depth = int(depth)
        del open_[depth:]
        parent = open_[-1] if open_ else None
        if parent is not None:
            elements[parent].children.append(len(elements))
        open_.append(len(elements))
        elements.append(Element(depth, role, label, [], parent))
    return elements


def plain(text):
    """A label as a toolkit shows it."""
    return re.sub(r"\(_\w\)$|_", "", text).strip().rstrip(":…. ").replace("...", "")


def catalog(code):
    """Every label in a language: what it can be translated to."""
    known = collections.defaultdict(set)
    for path in glob.glob(f"/usr/share/locale/{code}/LC_MESSAGES/*.mo"):
        if re.search(r"iso_|coreutils|binutils", path):
            continue
        try:
            with open(path, "rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
        except (OSError, UnicodeDecodeError):
            continue
        for ident, text in messages.items():
            if isinstance(ident, str) and isinstance(text, str) and text:
                known[plain(ident.split("\x04")[-1])].add(plain(text))
    return known


def lockstep(before, after, known):
    """The pairs of two trees that one program built."""
    pairs, checked, dropped = [], 0, 0
    stack = [(0, 0)]
    while stack:
        one, other = stack.pop()
        ours, theirs = before[one], after[other]
        name, translated = plain(ours.name), plain(theirs.name)
        if name == translated:
            pairs.append((one, other))
        elif name not in known:
            # A name of a thing (a file type) is not translated: it is elsewhere if its list is sorted by other names.
            places = [at for at, element in enumerate(after) if element.name == ours.name and element.role == ours.role]
            if len(places) > 1:
                continue
            pairs.append((one, places[0] if places else other))
        elif translated in known[name]:
            pairs.append((one, other))
            checked += 1
        else:
            dropped += 1
            twins = [at for at in after[theirs.parent].children
                     if plain(after[at].name) in known[name] and after[at].role == ours.role] if theirs.parent is not None else []
            if len(twins) != 1:
                continue
            pairs.append((one, twins[0]))
            other = twins[0]
        if [before[at].role for at in ours.children] == [after[at].role for at in after[other].children]:
            stack.extend(zip(ours.children, after[other].children))
    return sorted(pairs), checked, dropped


def keyed(before, after, key):
    """The pairs of elements whose key is unique on both sides."""
    ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
    for side, elements in ((ours, before), (theirs, after)):
        for at, element in enumerate(key(elements)):
            if element is not None:
                side[element].append(at)
    return sorted((places[0], theirs[what][0]) for what, places in ours.items() if len(places) == 1 and len(theirs[what]) == 1)


def by_label(elements):
    """Role and label."""
    return [(element.role, element.name) if element.name else None for element in elements]


def by_word(elements):
    """Role, label, the word before it, and which of its kind it is after that."""
    keys, counts, word = [], collections.Counter(), None
    for element in elements:
        first = next((known for known in WORDS if re.search(rf"\b{known}\b", element.name)), None)
        if first and first != word:
            word = first
            counts.clear()
        # A row comes before the word that is in it.
        inside, below = None, list(element.children)
        while below and not inside:
            child = elements[below.pop(0)]
            inside = next((known for known in WORDS if re.search(rf"\b{known}\b", child.name)), None)
            below = child.children + below
        key = (element.role, element.name, inside or word)
        counts[key] += 1
        known = inside or (word and element.name)
        keys.append((*key, counts[key]) if known else None)
    return keys


def chain(elements, at):
    """Where an element is."""
    above = elements[at].parent
    place = []
    while above is not None:
        place.append((elements[above].role, elements[above].name if elements[above].parent else ""))
        above = elements[above].parent
    return place


def main():
    """Writes every pair of recordings."""
    have = {path.stem for path in CORPUS.glob("*.tsv")}
    lines = []
    catalogs = {code: catalog(code) for code in LOCALES}
    checked = dropped = total = 0

    def add(kind, app, one, other, pairs):
        if pairs:
            lines.append("\t".join([kind, app, one, other, ",".join(f"{a}:{b}" for a, b in pairs)]))

    for app in sorted({name.rsplit(".", 1)[0] for name in have}):
        kinds = [(code, "translated", code) for code in LOCALES] + [("renamed", "renamed", "fr")]
        for other, kind, code in kinds:
            if {f"{app}.en", f"{app}.{other}"} <= have:
                before, after = read(f"{app}.en"), read(f"{app}.{other}")
                pairs, sure, wrong = lockstep(before, after, catalogs[code])
                changed = [(a, b) for a, b in pairs if before[a].name != after[b].name]
                checked, dropped, total = checked + sure, dropped + wrong, total + len(changed)
                add(kind, app, f"{app}.en", f"{app}.{other}", changed)
        if {f"{app}.asc", f"{app}.desc"} <= have:
            before, after = read(f"{app}.asc"), read(f"{app}.desc")
            add("reordered", app, f"{app}.asc", f"{app}.desc", keyed(before, after, by_word))
        if {f"{app}.m1", f"{app}.m2"} <= have:
            before, after = read(f"{app}.m1"), read(f"{app}.m2")
            pairs = keyed(before, after, by_label)
            add("moved", app, f"{app}.m1", f"{app}.m2", [(a, b) for a, b in pairs if chain(before, a) != chain(after, b)])
    for older, newer in VERSIONS:
        if {f"{older}.en", f"{newer}.en"} <= have:
            add("version", older, f"{older}.en", f"{newer}.en", keyed(read(f"{older}.en"), read(f"{newer}.en"), by_label))
    (CORPUS / "truth.tsv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} pairs of recordings; {total} changed labels, {checked} confirmed by catalogs, {dropped} contradicted by them")


if __name__ == "__main__":
    main()
