#!/usr/bin/env python3
"""The fixture application on Qt 6: that of Qt 5, whose imports go by the name of the program."""

import os
import runpy

runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "qt5_app.py"), run_name="__main__")
