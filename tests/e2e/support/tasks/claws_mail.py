"""The task of Claws Mail (GTK 3), with a mailbox of its own and an account that reaches no server."""

import email
import email.policy

from ..applications import Application
from . import Task

# The protocol 6 is none: it neither fetches nor sends.
_ACCOUNT = """[Account: 1]
account_name=Ada
is_default=1
name=Ada Lovelace
address=ada@example.org
protocol=6
"""
# Without dictionaries the spelling checker opens a dialog. A draft that is there is one that the task saved.
_SETTINGS = """[Common]
enable_aspell=0
autosave=0
"""
_KINDS = {"inbox": "inbox", "sent": "outbox", "draft": "draft", "queue": "queue", "trash": "trash"}
_WANTED = {"From": "Ada Lovelace <ada@example.org>", "To": "grace@example.org", "Subject": "Meeting on Thursday"}


def _start(desktop, folder):
    settings, mail = folder / "settings", folder / "mail"
    settings.mkdir()
    for name in _KINDS:
        (mail / name).mkdir(parents=True)
    items = "".join(f'<folderitem type="{kind}" name="{name}" path="{name}"/>' for name, kind in _KINDS.items())
    (settings / "folderlist.xml").write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><folderlist><folder type="mh" name="Mail" path="{mail}">{items}</folder></folderlist>',
        encoding="utf-8")
    (settings / "accountrc").write_text(_ACCOUNT, encoding="utf-8")
    (settings / "clawsrc").write_text(_SETTINGS, encoding="utf-8")
    return Application(desktop, ["claws-mail", "--alternate-config-dir", str(settings)], "Claws Mail")


def _is_filed(folder):
    # Its folders have a file for each mail, with a number as its name.
    filed = {name: [path for path in (folder / "mail" / name).iterdir() if path.name.isdigit()] for name in _KINDS}
    counts = {name: len(paths) for name, paths in filed.items() if paths}
    assert counts == {"draft": 1}, f"the mails by folder are {counts}"
    message = email.message_from_bytes(filed["draft"][0].read_bytes(), policy=email.policy.default)
    headers = {name: message[name] for name in _WANTED}
    assert headers == _WANTED, headers
    body = message.get_body(("plain",))
    lines = body.get_content().splitlines() if body else None
    assert lines == ["Dear Grace,", "shall we meet at ten?"], lines


TASKS = [
    Task("file-a-draft", "Claws Mail", _start, _is_filed, is_recordable=True),
]
