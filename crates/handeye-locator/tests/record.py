#!/usr/bin/env python3
"""Makes the recordings of tests/corpus again, from real applications in a private desktop:

    cargo build && cargo build -p handeye-linux --example record_locators
    target/debug/handeye desktop run --size 1280x900 -- python3 crates/handeye-locator/tests/record.py [NAME...]

Kinds: `en` is the application in English, `de`, `fr` and `ja` in other languages, `renamed` in English with every third message of its catalogs
replaced by the French one (the catalog is written to a temporary locale `en_XR`, which is deleted again), `asc` and `desc` one list in two orders,
`m1` and `m2` before and after a setting that moves parts of the window to other containers.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORD = ROOT / "target/debug/examples/record_locators"
CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
LOCALES = {"de": "de_DE.utf8", "fr": "fr_FR.utf8", "ja": "ja_JP.utf8"}
HOME = pathlib.Path(tempfile.gettempdir()) / f"handeye-record-{os.getpid()}"
RENAMED = pathlib.Path("/usr/share/locale/en_XR/LC_MESSAGES")

# Name, command, catalogs beside those of GTK.
TRANSLATED = {
    "mousepad": ["mousepad"], "pluma": ["pluma"], "galculator": ["galculator"], "gnome-calculator": ["gnome-calculator"],
    "geany": ["geany"], "gucharmap": ["gucharmap"], "evince": ["evince"], "atril": ["atril"], "thunar": ["thunar"],
    "pcmanfm": ["pcmanfm"], "transmission-gtk": ["transmission-gtk"], "xfce4-taskmanager": ["xfce4-taskmanager"],
    "file-roller": ["file-roller"], "xarchiver": ["xarchiver"], "baobab": ["baobab"], "l3afpad": ["l3afpad"],
    "mate-calc": ["mate-calc"], "qalculate-gtk": ["qalculate-gtk"], "seahorse": ["seahorse"], "ghex": ["ghex"], "meld": ["meld"],
    "kcalc": ["kcalc"], "kate": ["kate"], "kwrite": ["kwrite"], "featherpad": ["featherpad"],
}
WORDS = """apple banana cherry damson elder fig grape hazel iris juniper kiwi lemon mango nectarine orange papaya quince raspberry
strawberry tomato""".split()


def record(name, kind, command, env=None):
    """Starts an application, records its tree, and ends it."""
    own = dict(os.environ, HOME=str(HOME), XDG_CONFIG_HOME=str(HOME / "config"), NO_AT_BRIDGE="0", LANG="en_US.utf8", LANGUAGE="en",
               QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", GSETTINGS_BACKEND="keyfile", LC_ALL="C.utf8", **{})
    own.update(env or {})
    app = subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=HOME)
    try:
        done = subprocess.run([RECORD, str(app.pid)], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        done = None
    finally:
        app.kill()
        app.wait()
    if done is None or done.returncode or done.stdout.count("\n") < 8:
        print(f"{name} {kind}: not recorded: {done and done.stderr.strip()[-200:]}", flush=True)
        return
    (CORPUS / f"{name}.{kind}.tsv").write_text(done.stdout)
    print(f"{name} {kind}: {done.stdout.count(chr(10))} elements", flush=True)


def locale_of(code):
    """The environment of a language."""
    return {"LANG": LOCALES[code], "LC_ALL": LOCALES[code], "LANGUAGE": code}


def write_renamed():
    """A locale in which every third message is the French one: other labels, the same application."""
    RENAMED.mkdir(parents=True, exist_ok=True)
    for catalog in glob.glob("/usr/share/locale/fr/LC_MESSAGES/*.mo"):
        if not (re.match("gtk|gnome-calc", pathlib.Path(catalog).name) or pathlib.Path(catalog).stem in TRANSLATED):
            continue
        text = subprocess.run(["msgunfmt", "--no-wrap", catalog], capture_output=True, text=True, errors="replace").stdout
        head, *entries = text.split("\n\n")
        kept = []
        for entry in entries:
            ident = re.search(r'^msgid "(.*)"$', entry, re.M)
            if ident and "msgid_plural" not in entry and zlib.crc32(ident[1].encode()) % 3 == 0:
                kept.append(entry)
        source = "\n\n".join([head, *kept]) + "\n"
        subprocess.run(["msgfmt", "-o", RENAMED / pathlib.Path(catalog).name, "-"], input=source, text=True, stderr=subprocess.DEVNULL)


def gsettings(schema, key, value):
    """Changes a setting of the applications to come."""
    subprocess.run(["gsettings", "set", schema, key, value], check=True,
                   env=dict(os.environ, HOME=str(HOME), XDG_CONFIG_HOME=str(HOME / "config"), GSETTINGS_BACKEND="keyfile"))


def lists():
    """One list in two orders."""
    rows = [(word, f"{(place * 37) % 90} kB", f"2026-0{place % 9 + 1}-1{place % 8}") for place, word in enumerate(WORDS)]
    shuffled = sorted(rows, key=lambda row: zlib.crc32(row[0].encode()))
    for kind, order in (("asc", rows), ("desc", shuffled)):
        flat = [cell for row in order for cell in row]
        record("zenity", kind, ["zenity", "--list", "--title=Fruit", "--column=Name", "--column=Size", "--column=Date", *flat])
        record("yad", kind, ["yad", "--list", "--title=Fruit", "--column=Name", "--column=Size", "--column=Date", *flat])
        record("yad-form", kind, ["yad", "--form", "--title=Fruit", *[f"--field={row[0]}" for row in order]])
        record("yad-buttons", kind, ["yad", "--text=Fruit", *[f"--button={row[0]}:{at}" for at, row in enumerate(order[:9])]])
        record("zenity-check", kind, ["zenity", "--list", "--checklist", "--column=On", "--column=Name",
                                      *[cell for row in order for cell in ("FALSE", row[0])]])
        page = HOME / f"{kind}.html"
        cells = "".join(f"<tr><td>{a}<td>{b}<td>{c}<td><button>Delete</button><td><a href='#{a}'>Open</a></tr>" for a, b, c in order)
        items = "".join(f"<li><label><input type=checkbox> {a}</label> <button>Edit</button></li>" for a, _, _ in order)
        page.write_text(f"<title>Fruit</title><h1>Fruit</h1><table><tr><th>Name<th>Size<th>Date{cells}</table><ul>{items}</ul>")
        record("chromium", kind, ["/usr/lib/chromium/chromium", "--no-sandbox", "--force-renderer-accessibility", "--no-first-run",
                                  f"--user-data-dir={HOME}/chromium", f"--app=file://{page}"])
        record("firefox", kind, ["/usr/lib/firefox-esr/firefox-esr", "--no-remote", "--profile", str(firefox_profile()), f"file://{page}"])
        config = HOME / "config/pcmanfm/default/pcmanfm.conf"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"[ui]\nsort=name;{'ascending' if kind == 'asc' else 'descending'};\nview_mode=list\nside_pane_mode=places\n")
        record("pcmanfm-files", kind, ["pcmanfm", "--profile=default", str(files())])
        subprocess.run(["xfconf-query", "-c", "thunar", "-n", "-p", "/last-sort-order", "-t", "string", "-s",
                        "GTK_SORT_ASCENDING" if kind == "asc" else "GTK_SORT_DESCENDING"], capture_output=True)
        archive = HOME / f"fruit-{kind}.tar"
        subprocess.run(["tar", "cf", archive, *[row[0] + ".txt" for row in order]], cwd=files(), check=True)
        (HOME / "archive").mkdir(exist_ok=True)
        shutil.copy(archive, HOME / "archive/fruit.tar")
        record("xarchiver-files", kind, ["xarchiver", str(HOME / "archive/fruit.tar")])


def firefox_profile():
    """A profile without first-run pages."""
    folder = HOME / "firefox"
    folder.mkdir(exist_ok=True)
    (folder / "user.js").write_text('user_pref("datareporting.policy.dataSubmissionEnabled", false);\nuser_pref("browser.aboutwelcome.enabled", false);\n'
                                    'user_pref("accessibility.force_disabled", -1);\nuser_pref("browser.shell.checkDefaultBrowser", false);\n')
    return folder


def files():
    """A folder with a file for each word."""
    folder = HOME / "fruit"
    folder.mkdir(exist_ok=True)
    for at, word in enumerate(WORDS):
        (folder / f"{word}.txt").write_text("x" * (at * 37 % 90))
    return folder


def moved():
    """Settings that put the same parts into other containers."""
    geany = HOME / "config/geany/geany.conf"
    geany.parent.mkdir(parents=True, exist_ok=True)
    for kind, packed in (("m1", "false"), ("m2", "true")):
        geany.write_text(f"[geany]\npref_toolbar_append_to_menu={packed}\npref_toolbar_show=true\nsidebar_pos={'1' if kind == 'm2' else '0'}\n"
                         f"msgwin_orientation={'0' if kind == 'm2' else '1'}\n")
        record("geany", kind, ["geany", "-i"])
    mode = "org.gnome.calculator"
    for kind, value in (("m1", "basic"), ("m2", "advanced")):
        gsettings(mode, "button-mode", value)
        record("gnome-calculator", kind, ["gnome-calculator"])
    for kind, value in (("m1", "true"), ("m2", "false")):
        gsettings("org.xfce.mousepad.preferences.window", "client-side-decorations", "false" if kind == "m1" else "true")
        gsettings("org.xfce.mousepad.preferences.window", "toolbar-visible", "true")
        record("mousepad", kind, ["mousepad", "--disable-server"])
    for kind, value in (("m1", "basic"), ("m2", "advanced")):
        gsettings("org.mate.calc", "button-mode", value)
        record("mate-calc", kind, ["mate-calc"])
    rows = WORDS[:12]
    for kind, columns in (("m1", "1"), ("m2", "3")):
        record("yad-columns", kind, ["yad", "--form", f"--columns={columns}", *[f"--field={word}:CHK" for word in rows]])
        record("yad-bar", kind, ["yad", "--form", *[f"--field={word}:BTN" for word in rows[:6]], *[f"--button={word}:{at}" for at, word in enumerate(rows[6:9] if kind == "m1" else rows[9:])]])
    galculator = HOME / "config/galculator/galculator.conf"
    galculator.parent.mkdir(parents=True, exist_ok=True)
    for kind, value in (("m1", "0"), ("m2", "1")):
        galculator.write_text(f"display_bkg_color=#ffffff\nmode={value}\n")
        record("galculator", kind, ["galculator"])
    for kind, order in (("m1", ("side", "main")), ("m2", ("main", "side"))):
        page = HOME / f"{kind}.html"
        parts = {"side": "<nav aria-label=Side>" + "".join(f"<button>{word}</button><a href='#'>Go to {word}</a>" for word in rows) + "</nav>",
                 "main": "<main><h1>Shop</h1>" + "".join(f"<p>{word} <input aria-label='{word} count'><select aria-label='{word} unit'><option>kg</select></p>" for word in rows) + "</main>"}
        body = parts[order[0]] + parts[order[1]] if kind == "m1" else "<div role=group aria-label=Box>" + parts[order[0]] + f"<section aria-label=Below>{parts[order[1]]}</section></div>"
        page.write_text(f"<title>Shop</title>{body}")
        record("chromium", kind, ["/usr/lib/chromium/chromium", "--no-sandbox", "--force-renderer-accessibility", "--no-first-run",
                                  f"--user-data-dir={HOME}/chromium", f"--app=file://{page}"])


def main():
    """Records the applications that are named, or everything."""
    CORPUS.mkdir(exist_ok=True)
    HOME.mkdir()
    wanted = sys.argv[1:]
    write_renamed()
    try:
        for name, command in TRANSLATED.items():
            if wanted and name not in wanted:
                continue
            record(name, "en", command)
            record(name, "renamed", command, {"LANG": "de_DE.utf8", "LC_ALL": "de_DE.utf8", "LANGUAGE": "en_XR"})
            for code in LOCALES:
                record(name, code, command, locale_of(code))
        if not wanted or "lists" in wanted:
            lists()
        if not wanted or "moved" in wanted:
            moved()
    finally:
        shutil.rmtree(RENAMED.parent, ignore_errors=True)
        shutil.rmtree(HOME, ignore_errors=True)


if __name__ == "__main__":
    main()
