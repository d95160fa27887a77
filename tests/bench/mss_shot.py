"""A screenshot with python-mss, as one would write it: mss_shot.py FILE."""

import sys

import mss
import mss.tools

with mss.mss() as screen:
    picture = screen.grab(screen.monitors[0])
    mss.tools.to_png(picture.rgb, picture.size, output=sys.argv[1])
