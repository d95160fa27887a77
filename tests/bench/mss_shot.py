"""A screenshot with python-mss, as its documentation has it: mss_shot.py FILE."""

import sys

import mss
import mss.tools

file = sys.argv[1]
with mss.MSS() as screen:
    picture = screen.grab(screen.monitors[0])
    if file.endswith(".png"):
        mss.tools.to_png(picture.rgb, picture.size, output=file)
    else:
        # mss itself writes PNG only.
        from PIL import Image

        Image.frombytes("RGB", picture.size, picture.bgra, "raw", "BGRX").save(file, quality=80)
