"""The applications of the harness: how each is started, and what it represents.

They are those of the distribution, with first-run dialogs and all: those are read too. The packages of the short form are in
`tests/packages.txt`, those that only the long form needs in `tests/harness/packages.txt`.
"""

import dataclasses
import os

from support import wait_for
from support.applications import APPS, FIREFOX_PREFERENCES
from support.desktop import end_group

from .bus import ROOT, Call

QT = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "QT_ACCESSIBILITY": "1"}
GTK2 = {"GTK_MODULES": "gail:atk-bridge", "NO_AT_BRIDGE": "0"}
GTK4 = {"GSK_RENDERER": "cairo"}
OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")
CHROMIUM = ("chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--password-store=basic",
            "--window-size=1000,800", "--force-renderer-accessibility")
SWING = ("java", "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
         "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni", "-cp", "/usr/share/java/java-atk-wrapper.jar",
         str(APPS / "SwingFixture.java"))
SWING_ENV = {"_JAVA_AWT_WM_NONREPARENTING": "1"}
PAGE = f"file://{APPS / 'every_input.html'}"
# An account that needs no server, and a letter in it.
MAIL_PREFERENCES = """
user_pref("mail.accountmanager.accounts", "account1");
user_pref("mail.accountmanager.localfoldersserver", "server1");
user_pref("mail.account.account1.server", "server1");
user_pref("mail.server.server1.type", "none");
user_pref("mail.server.server1.hostname", "Local Folders");
user_pref("mail.server.server1.name", "Local Folders");
user_pref("mail.server.server1.userName", "nobody");
user_pref("mail.server.server1.directory-rel", "[ProfD]Mail/Local Folders");
user_pref("mail.provider.suppress_dialog_on_startup", true);
user_pref("mail.spotlight.firstRunDone", true);
user_pref("mailnews.start_page.enabled", false);
user_pref("app.donation.eoy.version.viewed", 99);
"""
MAIL = """From someone@example.org Mon Jan  1 10:00:00 2024
From: Someone <someone@example.org>
To: nobody@example.org
Subject: A letter
Date: Mon, 1 Jan 2024 10:00:00 +0000
Message-ID: <1@example.org>
Content-Type: text/plain; charset=utf-8

Good day.

"""


@dataclasses.dataclass(frozen=True)
class Application:
    """One application: its toolkit, its words (`{folder}` is one of its own), and what else it needs to come up."""

    name: str
    toolkit: str
    words: tuple
    env: dict = dataclasses.field(default_factory=dict)
    packages: tuple = ()
    short: bool = False
    files: dict = dataclasses.field(default_factory=dict)
    # Its labels are read in pictures too.
    pictured: bool = True


ALL = (
    Application("gimp", "GTK 2", ("gimp", "--no-splash"), GTK2, ("gimp", "libgail-common"), pictured=False),
    Application("sylpheed", "GTK 2", ("sylpheed",), GTK2, ("sylpheed", "libgail-common")),
    Application("hexchat", "GTK 2", ("hexchat", "--no-auto"), GTK2, ("hexchat", "libgail-common"),
                files={"~/.config/hexchat/hexchat.conf": "gui_slist_skip = 1\n"}),
    Application("mousepad", "GTK 3", ("mousepad", "--disable-server"), packages=("mousepad",), short=True),
    Application("geany", "GTK 3", ("geany", "--new-instance"), packages=("geany",)),
    Application("thunar", "GTK 3", ("thunar", "/usr/share"), packages=("thunar",)),
    Application("gnumeric", "GTK 3", ("gnumeric",), packages=("gnumeric",)),
    Application("abiword", "GTK 3", ("abiword",), packages=("abiword",)),
    Application("galculator", "GTK 3", ("galculator",), packages=("galculator",)),
    Application("gtk3-widget-factory", "GTK 3", ("gtk3-widget-factory",), packages=("gtk-3-examples",)),
    Application("xfce4-terminal", "GTK 3 terminal", ("xfce4-terminal", "--disable-server"), packages=("xfce4-terminal",)),
    Application("fixture-gtk4", "GTK 4", ("/usr/bin/python3", str(APPS / "gtk4_app.py"), "GTK 4"), GTK4,
                ("gir1.2-gtk-4.0",), short=True),
    Application("gtk4-widget-factory", "GTK 4", ("gtk4-widget-factory",), GTK4, ("gtk-4-examples",)),
    Application("gnome-calculator", "GTK 4", ("gnome-calculator",), GTK4, ("gnome-calculator",)),
    Application("gnome-text-editor", "GTK 4", ("gnome-text-editor", "--standalone"), GTK4, ("gnome-text-editor",)),
    Application("kcalc", "Qt 5", ("kcalc",), QT, ("kcalc",), short=True),
    Application("featherpad", "Qt 5", ("featherpad", "--standalone"), QT, ("featherpad",)),
    Application("designer", "Qt 5", ("/usr/lib/qt5/bin/designer",), QT, ("qttools5-dev-tools",)),
    Application("qbittorrent", "Qt 6", ("qbittorrent",), QT, ("qbittorrent",),
                files={"~/.config/qBittorrent/qBittorrent.conf": "[LegalNotice]\nAccepted=true\n"}),
    Application("linguist", "Qt 6", ("/usr/lib/qt6/bin/linguist",), QT, ("linguist-qt6",)),
    Application("assistant", "Qt 6", ("/usr/lib/qt6/bin/assistant",), QT, ("assistant-qt6",)),
    Application("writer", "LibreOffice", (*OFFICE, "--writer", "-env:UserInstallation=file://{folder}/office"),
                {"SAL_USE_VCLPLUGIN": "gtk3"}, ("libreoffice-writer", "libreoffice-gtk3"), short=True),
    Application("calc", "LibreOffice", (*OFFICE, "--calc", "-env:UserInstallation=file://{folder}/office"),
                {"SAL_USE_VCLPLUGIN": "gtk3"}, ("libreoffice-calc", "libreoffice-gtk3")),
    Application("firefox", "Gecko", ("firefox-esr", "--no-remote", "--profile", "{folder}", PAGE), packages=("firefox-esr",),
                short=True, files={"user.js": FIREFOX_PREFERENCES}),
    Application("thunderbird", "Gecko", ("thunderbird", "--no-remote", "--profile", "{folder}"), packages=("thunderbird",),
                files={"user.js": FIREFOX_PREFERENCES + MAIL_PREFERENCES, "Mail/Local Folders/Inbox": MAIL}),
    Application("chromium", "Chromium", (*CHROMIUM, "--user-data-dir={folder}", PAGE), packages=("chromium",), short=True),
    Application("swing", "Java Swing", (*SWING, "Swing"), SWING_ENV,
                ("openjdk-17-jdk-headless", "openjdk-17-jre", "libatk-wrapper-java", "libatk-wrapper-java-jni")),
    Application("filezilla", "wxWidgets", ("filezilla",), packages=("filezilla",)),
    Application("poedit", "wxWidgets", ("poedit",), packages=("poedit",)),
    Application("audacity", "wxWidgets", ("audacity",), packages=("audacity",)),
)


class Running:
    """One of them on a desktop, seen by an own client of the accessibility bus."""

    def __init__(self, desktop, bus, application):
        self.desktop, self.bus, self.application = desktop, bus, application
        self.folder = desktop.path(f"app-{application.name}")
        os.makedirs(self.folder)
        for name, content in application.files.items():
            path = os.path.join(desktop.env["HOME"], name[2:]) if name.startswith("~/") else os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        before = set(bus.applications())
        words = [word.replace("{folder}", self.folder) for word in application.words]
        self.child = desktop.start(words, application.name, application.env)
        self.name = wait_for(f"{application.name} to be on the accessibility bus", lambda: self._arrived(before), 120, 0.2)
        self.process = bus.process(self.name)

    def _arrived(self, before):
        """Its bus name, once it has a window there."""
        for name in set(self.bus.applications()) - before:
            root = Call(name, ROOT, "Accessible", "ChildCount", is_property=True)
            if self.bus.ask(root)[0].or_else(0) > 0:
                return name
        return None

    def is_alive(self):
        """Whether it still answers."""
        root = Call(self.name, ROOT, "Accessible", "GetRole")
        return self.bus.ask(root, patience=20)[0].error is None and os.path.exists(f"/proc/{self.process}")

    def ending(self):
        """The end of its output, and how it ended."""
        code = self.child.poll()
        with open(self.desktop.path(f"{self.application.name}.out"), encoding="utf-8", errors="replace") as output:
            said = output.read()[-400:].strip()
        return f"{'exit code ' + str(code) if code is not None else 'its process lives'}; it said: {said!r}"

    def stop(self):
        """Ends it."""
        end_group(self.child)
