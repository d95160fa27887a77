#!/usr/bin/env python3
"""The changing window on Qt 6: that on Qt 5, whose imports go by the name of the program."""

import os
import runpy

runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "changing_qt5_app.py"), run_name="__main__")
