"""What is held on the seat, according to the X server, and the processes that release it (keepers)."""

import os

_HELD = """
import ctypes
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = ctypes.c_ulong
display = ctypes.c_void_p(x11.XOpenDisplay(None))
root, child, mask = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
numbers = [ctypes.c_int() for _ in range(4)]
window = ctypes.c_ulong(x11.XDefaultRootWindow(display))
x11.XQueryPointer(display, window, ctypes.byref(root), ctypes.byref(child), *map(ctypes.byref, numbers), ctypes.byref(mask))
keys = ctypes.create_string_buffer(32)
x11.XQueryKeymap(display, keys)
print(mask.value >> 8 & 31, sum(bin(byte).count("1") for byte in keys.raw))
"""

# Grabs the user's pointer for a moment, as a menu does.
_GRAB = """
import ctypes
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = ctypes.c_ulong
display = ctypes.c_void_p(x11.XOpenDisplay(None))
none, window = ctypes.c_ulong(0), ctypes.c_ulong(x11.XDefaultRootWindow(display))
print(x11.XGrabPointer(display, window, 0, 0, 1, 1, none, none, none))
x11.XUngrabPointer(display, none)
x11.XSync(display, 0)
"""


def is_pointer_free(desktop):
    """Whether no client has the user's pointer: another one can take it."""
    return desktop.run(["/usr/bin/python3", "-c", _GRAB]).strip() == "0"


def held(desktop):
    """The pressed buttons as a mask (1 is the left one), and how many keys are pressed."""
    buttons, keys = desktop.run(["/usr/bin/python3", "-c", _HELD]).split()
    return int(buttons), int(keys)


def keepers(desktop):
    """The keepers of this desktop that run."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{process}/environ", "rb") as file:
                environment = file.read().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"keeper"] and f"XAUTHORITY={desktop.env['XAUTHORITY']}".encode() in environment:
            found.append(int(process))
    return found
