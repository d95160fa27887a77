#!/usr/bin/env python3
"""The user at the keyboard, and a witness: one plain connection to the X server, which types by XTEST and reports the state of the server.

Each line on standard input is a command: `look`, `key NAME`, `move X Y`, `click`, `type` or `enough`. Each but `type` is answered by one line of JSON.
"""

import ctypes
import itertools
import json
import queue
import sys
import threading

PATTERN = "the Quick brown fox 0123456789 jumps over the Lazy dog "
BETWEEN = 0.015
"""Seconds from one key to the next, as of somebody who types fast."""
BEFORE, AFTER = 15, 15
"""Characters that are typed before `type` is answered, and after `enough` is asked for."""

x11, xtst = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
Window = Atom = ctypes.c_ulong
pointer = ctypes.byref
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_ulong
x11.XStringToKeysym.restype = ctypes.c_ulong
x11.XKeysymToKeycode.restype = ctypes.c_ubyte
x11.XGetWindowProperty.argtypes = [ctypes.c_void_p, Window, Atom, ctypes.c_long, ctypes.c_long, ctypes.c_int, Atom] + [ctypes.c_void_p] * 5
display = ctypes.c_void_p(x11.XOpenDisplay(None))
root = Window(x11.XDefaultRootWindow(display))


def atom(name):
    return Atom(x11.XInternAtom(display, name.encode(), 0))


def property_of(window, name):
    """The numbers of a property of a window."""
    kind, form, count, rest, data = Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
    x11.XGetWindowProperty(display, window, atom(name), 0, 4096, 0, 0, *map(pointer, (kind, form, count, rest, data)))
    found = [data[index] for index in range(count.value)] if data else []
    if data:
        x11.XFree(data)
    return found


def windows_from_below():
    """The windows according to the window manager, from the lowest to the topmost; without one, the children of the root that take part in its protocols."""
    managed = property_of(root, "_NET_CLIENT_LIST_STACKING")
    if managed:
        return managed
    parent, count, children = Window(), ctypes.c_uint(), ctypes.POINTER(ctypes.c_ulong)()
    x11.XQueryTree(display, root, pointer(parent), pointer(parent), pointer(children), pointer(count))
    found = [children[index] for index in range(count.value)]
    if children:
        x11.XFree(children)
    return [window for window in found if property_of(Window(window), "WM_PROTOCOLS")]


def look():
    """What a user would notice."""
    focus, revert = Window(), ctypes.c_int()
    x11.XGetInputFocus(display, pointer(focus), pointer(revert))
    on, child, mask = Window(), Window(), ctypes.c_uint()
    x, y, in_x, in_y = (ctypes.c_int() for _ in range(4))
    x11.XQueryPointer(display, root, *map(pointer, (on, child, x, y, in_x, in_y, mask)))
    keys = ctypes.create_string_buffer(32)
    x11.XQueryKeymap(display, keys)
    down = [byte * 8 + bit for byte, held in enumerate(keys.raw) for bit in range(8) if held >> bit & 1]
    return {"active": (property_of(root, "_NET_ACTIVE_WINDOW") or [None])[0], "focus": focus.value, "pointer": [x.value, y.value],
            "stacking": windows_from_below(), "clipboard": x11.XGetSelectionOwner(display, atom("CLIPBOARD")),
            "modifiers_and_buttons": mask.value, "keys": down}


def press(name, is_shifted=False):
    """Presses and releases a key."""
    codes = [x11.XKeysymToKeycode(display, ctypes.c_ulong(x11.XStringToKeysym(key.encode())))
             for key in (["Shift_L"] if is_shifted else []) + [name]]
    for code, is_down in [*((code, 1) for code in codes), *((code, 0) for code in reversed(codes))]:
        xtst.XTestFakeKeyEvent(display, code, is_down, ctypes.c_ulong(0))
    x11.XFlush(display)
    return len(codes)


def type_one(character):
    return press("space" if character == " " else character.lower(), character.isupper())


def answer(fields):
    print(json.dumps(fields), flush=True)


def main():
    commands = queue.Queue()
    threading.Thread(target=lambda: [commands.put(line.split()) for line in sys.stdin] and None or commands.put(["end"]), daemon=True).start()
    characters, typed, keys, left = itertools.cycle(PATTERN), "", 0, 0  # `left` is None until the command `enough` came
    is_told = True
    while True:
        try:
            word, *rest = commands.get(timeout=BETWEEN if left != 0 else None)
        except queue.Empty:
            character = next(characters)
            keys += type_one(character)
            typed += character
            if left is None and not is_told and len(typed) >= BEFORE:
                is_told = True
                answer({})
            if left:
                left -= 1
                if left == 0:
                    x11.XSync(display, 0)
                    answer({"text": typed, "keys": keys})
            continue
        if word == "look":
            answer(look())
        elif word == "key":
            press(*rest)
            answer({})
        elif word == "move":
            xtst.XTestFakeMotionEvent(display, -1, *map(int, rest), ctypes.c_ulong(0))
            x11.XSync(display, 0)
            answer({})
        elif word == "click":
            for is_down in (1, 0):
                xtst.XTestFakeButtonEvent(display, 1, is_down, ctypes.c_ulong(0))
            x11.XSync(display, 0)
            answer({})
        elif word == "type":
            typed, keys, left, is_told = "", 0, None, False
        elif word == "enough":
            left = AFTER
        else:
            return


if __name__ == "__main__":
    main()
